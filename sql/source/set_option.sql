-- set_option
-- Sets one option of the engine.
--
-- portable: no
--
-- parameter option: column, the option's name
-- parameter setting: text, its value
SET {{ option | identifier }} = {{ setting | literal }}
