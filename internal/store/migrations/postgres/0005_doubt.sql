ALTER TABLE approvals ADD COLUMN doubt BIGINT NOT NULL DEFAULT 0;
UPDATE approvals SET doubt = 1 WHERE title LIKE 'Did this happen? %';
