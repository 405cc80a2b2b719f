-- A stored score is numbers: what it quoted of signals goes when they go.
ALTER TABLE netra_scores DROP COLUMN data;
