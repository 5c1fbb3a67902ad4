-- Inserts, an index, joins, groups, and updates in a database in memory.
CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, city INTEGER, born INTEGER);
CREATE TABLE city(id INTEGER PRIMARY KEY, name TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
INSERT INTO city SELECT i, 'city ' || (i * 7919 % 1009) FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
INSERT INTO person SELECT i, printf('%08x', i * 2654435761 % 4294967296), i * 31 % 500 + 1, 1900 + i * 17 % 120 FROM n;
CREATE INDEX person_name ON person(name);
CREATE INDEX person_city ON person(city, born);
SELECT c.name, count(*), avg(p.born), min(p.name) FROM person p JOIN city c ON c.id = p.city GROUP BY c.name ORDER BY 2 DESC, 1 LIMIT 5;
SELECT count(*) FROM person a JOIN person b ON a.city = b.city AND a.born = b.born WHERE a.id < b.id AND a.id % 20 = 0;
UPDATE person SET name = upper(name) || '-' || city WHERE born % 3 = 0;
SELECT count(*), sum(length(name)) FROM person WHERE name LIKE '%A%7';
SELECT substr(name, 1, 2) AS head, count(*) FROM person GROUP BY head ORDER BY 2 DESC, 1 LIMIT 5;
DELETE FROM person WHERE city % 5 = 0;
SELECT count(*), sum(born) FROM person WHERE city IN (SELECT id FROM city WHERE name LIKE '%3');
