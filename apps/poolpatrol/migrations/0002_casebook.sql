CREATE TABLE poolpatrol_cases (
	case_id       TEXT PRIMARY KEY,
	vanpool       TEXT NOT NULL,
	reason        TEXT NOT NULL,
	details       TEXT NOT NULL,
	failed_checks TEXT NOT NULL,
	opened_by     TEXT NOT NULL,
	updated_by    TEXT NOT NULL,
	reaudits      INTEGER NOT NULL,
	created       BIGINT NOT NULL,
	updated       BIGINT NOT NULL
);

CREATE TABLE poolpatrol_threads (
	id       TEXT PRIMARY KEY,
	case_id  TEXT NOT NULL,
	vanpool  TEXT NOT NULL,
	employee TEXT NOT NULL,
	checks   TEXT NOT NULL,
	last_out BIGINT NOT NULL,
	last_in  BIGINT NOT NULL,
	settled  TEXT NOT NULL,
	created  BIGINT NOT NULL,
	UNIQUE (case_id, employee)
);

CREATE INDEX poolpatrol_threads_employee ON poolpatrol_threads (employee);

CREATE TABLE poolpatrol_messages (
	id          TEXT PRIMARY KEY,
	thread      TEXT NOT NULL,
	outbound    INTEGER NOT NULL,
	kind        TEXT NOT NULL,
	sender      TEXT NOT NULL,
	subject     TEXT NOT NULL,
	body        TEXT NOT NULL,
	mail_id     TEXT NOT NULL UNIQUE,
	in_reply_to TEXT NOT NULL,
	bucket      TEXT NOT NULL,
	rule        TEXT NOT NULL,
	phrases     TEXT NOT NULL,
	stranger    INTEGER NOT NULL,
	at          BIGINT NOT NULL
);

CREATE INDEX poolpatrol_messages_thread ON poolpatrol_messages (thread);

CREATE TABLE poolpatrol_removals (
	case_id  TEXT NOT NULL,
	vanpool  TEXT NOT NULL,
	employee TEXT NOT NULL,
	checks   TEXT NOT NULL,
	approver TEXT NOT NULL,
	model    TEXT NOT NULL,
	at       BIGINT NOT NULL,
	reversed BIGINT NOT NULL,
	PRIMARY KEY (case_id, employee)
);

CREATE TABLE poolpatrol_audits (
	run_id  TEXT PRIMARY KEY,
	vanpool TEXT NOT NULL,
	case_id TEXT NOT NULL,
	cause   TEXT NOT NULL,
	status  TEXT NOT NULL,
	at      BIGINT NOT NULL,
	took    BIGINT NOT NULL
);

CREATE INDEX poolpatrol_audits_vanpool ON poolpatrol_audits (vanpool);
