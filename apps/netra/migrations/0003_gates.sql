-- How a model did is kept with the other results of evaluation.
DROP TABLE netra_gates;
