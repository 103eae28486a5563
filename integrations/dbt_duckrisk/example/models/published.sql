{{ config(materialized='table') }}
SELECT SUBSTRING(zip, 1, 2) AS area, sex, illness FROM {{ ref('patients') }}
