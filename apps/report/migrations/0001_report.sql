CREATE TABLE report_reports (
	id        TEXT NOT NULL PRIMARY KEY,
	title     TEXT NOT NULL,
	data_root TEXT NOT NULL,
	chart_map TEXT NOT NULL,
	outline   TEXT NOT NULL,
	version   BIGINT NOT NULL,
	created   BIGINT NOT NULL,
	updated   BIGINT NOT NULL
);

CREATE TABLE report_drafts (
	report  TEXT NOT NULL,
	section TEXT NOT NULL,
	round   INTEGER NOT NULL,
	text    TEXT NOT NULL,
	verdict TEXT NOT NULL,
	status  TEXT NOT NULL CHECK (status IN ('draft', 'final', 'sent_back')),
	prompt  TEXT NOT NULL,
	run     TEXT NOT NULL,
	case_id TEXT NOT NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (report, section, round)
);

CREATE TABLE report_reviews (
	id       TEXT NOT NULL PRIMARY KEY,
	report   TEXT NOT NULL,
	section  TEXT NOT NULL,
	round    INTEGER NOT NULL,
	ratings  TEXT NOT NULL,
	notes    TEXT NOT NULL,
	comments TEXT NOT NULL,
	by_id    TEXT NOT NULL,
	by_name  TEXT NOT NULL,
	created  BIGINT NOT NULL
);

CREATE INDEX report_reviews_section ON report_reviews (report, section, round);

CREATE TABLE report_evals (
	id      TEXT NOT NULL PRIMARY KEY,
	report  TEXT NOT NULL,
	record  TEXT NOT NULL,
	created BIGINT NOT NULL
);
