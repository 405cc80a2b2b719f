CREATE TABLE report_evaluations (
	report  TEXT NOT NULL,
	id      TEXT NOT NULL,
	record  TEXT NOT NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (report, id)
);

INSERT INTO report_evaluations (report, id, record, created) SELECT report, id, record, created FROM report_evals;

DROP TABLE report_evals;
