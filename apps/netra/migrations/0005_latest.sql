-- When an event was last reported. Reports are of one event only within a day of each
-- other, the first and the last included.
ALTER TABLE netra_signals ADD COLUMN latest BIGINT NOT NULL DEFAULT 0;
UPDATE netra_signals SET latest = at;
