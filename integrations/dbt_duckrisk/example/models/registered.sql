{{ config(materialized='view') }}
SELECT id, mail, zip, sex, born, illness FROM {{ ref('patients') }}
