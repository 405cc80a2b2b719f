-- Times are microseconds since 1970 UTC, 0 for never. JSON and ids are text.

CREATE TABLE cases (
	id TEXT PRIMARY KEY,
	app TEXT NOT NULL,
	subject TEXT NOT NULL,
	title TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('preliminary', 'open', 'waiting', 'closed', 'cleared')),
	stage TEXT NOT NULL,
	outcome TEXT NOT NULL,
	opened BIGINT NOT NULL,
	updated BIGINT NOT NULL,
	closed BIGINT NOT NULL,
	version BIGINT NOT NULL,
	entries BIGINT NOT NULL, -- length of the evidence chain
	covered BIGINT NOT NULL  -- how much of it a checkpoint covers
);
CREATE INDEX cases_uncovered ON cases (id) WHERE entries > covered;
CREATE UNIQUE INDEX cases_live ON cases (app, subject) WHERE state IN ('preliminary', 'open', 'waiting');
CREATE INDEX cases_opened ON cases (opened, id);
CREATE INDEX cases_app_opened ON cases (app, opened, id);
CREATE INDEX cases_subject ON cases (app, subject);

CREATE TABLE evidence (
	id TEXT PRIMARY KEY,
	case_id TEXT NOT NULL REFERENCES cases (id),
	seq BIGINT NOT NULL,
	kind TEXT NOT NULL,
	system TEXT NOT NULL,
	locator TEXT NOT NULL,
	fetched BIGINT NOT NULL,
	data TEXT NOT NULL,
	summary TEXT NOT NULL,
	step TEXT NOT NULL,
	at BIGINT NOT NULL,
	supersedes TEXT NOT NULL,
	hash TEXT NOT NULL,
	UNIQUE (case_id, seq)
);

CREATE TABLE findings (
	id TEXT PRIMARY KEY,
	case_id TEXT NOT NULL REFERENCES cases (id),
	seq BIGINT NOT NULL,
	name TEXT NOT NULL,
	subject TEXT NOT NULL,
	verdict TEXT NOT NULL CHECK (verdict IN ('pass', 'fail', 'unclear')),
	confidence BIGINT NOT NULL,
	reason TEXT NOT NULL,
	figures TEXT NOT NULL,
	made_by TEXT NOT NULL,
	cites TEXT NOT NULL,
	step TEXT NOT NULL,
	at BIGINT NOT NULL,
	UNIQUE (case_id, seq)
);

CREATE TABLE runs (
	id TEXT PRIMARY KEY,
	case_id TEXT NOT NULL REFERENCES cases (id),
	app TEXT NOT NULL,
	agent TEXT NOT NULL,
	for_id TEXT NOT NULL,
	for_name TEXT NOT NULL,
	for_roles TEXT NOT NULL,
	parent TEXT NOT NULL,
	parent_run TEXT NOT NULL,
	status TEXT NOT NULL CHECK (status IN ('ready', 'paused', 'done', 'failed')),
	input TEXT NOT NULL,
	answer TEXT NOT NULL,
	failure TEXT NOT NULL,
	started BIGINT NOT NULL,
	ended BIGINT NOT NULL,
	moved BIGINT NOT NULL,
	moved_by TEXT NOT NULL,
	woken BIGINT NOT NULL
);
CREATE INDEX runs_case ON runs (case_id, started);
CREATE INDEX runs_started ON runs (started, id);
CREATE INDEX runs_ready ON runs (id) WHERE status = 'ready';
CREATE INDEX runs_parent ON runs (parent_run) WHERE parent_run <> '';

CREATE TABLE steps (
	id TEXT NOT NULL,
	run_id TEXT NOT NULL REFERENCES runs (id),
	seq BIGINT NOT NULL,
	kind TEXT NOT NULL,
	body TEXT NOT NULL,
	at BIGINT NOT NULL,
	PRIMARY KEY (run_id, seq)
);

CREATE TABLE approvals (
	id TEXT PRIMARY KEY,
	case_id TEXT NOT NULL REFERENCES cases (id),
	app TEXT NOT NULL,
	run_id TEXT NOT NULL REFERENCES runs (id),
	call_id TEXT NOT NULL,
	tool TEXT NOT NULL,
	args TEXT NOT NULL,
	evidence TEXT NOT NULL,
	digest TEXT NOT NULL,
	title TEXT NOT NULL,
	why TEXT NOT NULL,
	roles TEXT NOT NULL,
	verbs TEXT NOT NULL,
	need BIGINT NOT NULL,
	four_eyes BIGINT NOT NULL,
	for_id TEXT NOT NULL,
	status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'rejected', 'expired', 'void')),
	asked BIGINT NOT NULL,
	remind BIGINT NOT NULL,
	expires BIGINT NOT NULL,
	escalate TEXT NOT NULL,
	voided_by TEXT NOT NULL,
	decided BIGINT NOT NULL,
	reminded BIGINT NOT NULL
);
CREATE INDEX approvals_case ON approvals (case_id, asked);
CREATE INDEX approvals_run ON approvals (run_id);
CREATE INDEX approvals_asked ON approvals (asked, id, status);
CREATE INDEX approvals_expires ON approvals (expires) WHERE status = 'pending';
CREATE INDEX approvals_remind ON approvals (remind) WHERE status = 'pending' AND reminded = 0;

CREATE TABLE decisions (
	approval TEXT NOT NULL REFERENCES approvals (id),
	seq BIGINT NOT NULL,
	verb TEXT NOT NULL CHECK (verb IN ('approve', 'edit', 'reject', 'respond')),
	by_id TEXT NOT NULL,
	by_name TEXT NOT NULL,
	by_roles TEXT NOT NULL,
	at BIGINT NOT NULL,
	args TEXT NOT NULL,
	note TEXT NOT NULL,
	PRIMARY KEY (approval, seq),
	UNIQUE (approval, by_id)
);

CREATE TABLE acts (
	app TEXT NOT NULL,
	act_key TEXT NOT NULL,
	run_id TEXT NOT NULL,
	call_id TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('begun', 'done', 'failed')),
	value TEXT NOT NULL,
	begun_by TEXT NOT NULL,
	begun BIGINT NOT NULL,
	ended BIGINT NOT NULL,
	PRIMARY KEY (app, act_key)
);

CREATE TABLE events (
	id BIGINT PRIMARY KEY,
	at BIGINT NOT NULL,
	app TEXT NOT NULL,
	case_id TEXT NOT NULL,
	run_id TEXT NOT NULL,
	approval_id TEXT NOT NULL,
	kind TEXT NOT NULL,
	actor TEXT NOT NULL,
	body TEXT NOT NULL,
	data TEXT NOT NULL
);
CREATE INDEX events_case ON events (case_id, id) WHERE case_id <> '';

CREATE TABLE checkpoints (
	number BIGINT PRIMARY KEY,
	at BIGINT NOT NULL,
	body TEXT NOT NULL
);

CREATE TABLE heads (
	checkpoint BIGINT NOT NULL REFERENCES checkpoints (number),
	case_id TEXT NOT NULL REFERENCES cases (id),
	seq BIGINT NOT NULL,
	hash TEXT NOT NULL,
	PRIMARY KEY (checkpoint, case_id)
);
CREATE INDEX heads_case ON heads (case_id, checkpoint);

CREATE TABLE due (
	id TEXT PRIMARY KEY,
	app TEXT NOT NULL,
	name TEXT NOT NULL,
	args TEXT NOT NULL,
	at BIGINT NOT NULL,
	unique_key TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('waiting', 'queued', 'failed')),
	tries BIGINT NOT NULL,
	last_error TEXT NOT NULL,
	claimed BIGINT NOT NULL
);
CREATE UNIQUE INDEX due_unique ON due (app, name, unique_key) WHERE unique_key <> '' AND state = 'waiting';
CREATE INDEX due_at ON due (at) WHERE state = 'waiting';
CREATE INDEX due_queued ON due (claimed) WHERE state = 'queued';

CREATE TABLE users (
	id TEXT PRIMARY KEY,
	name TEXT NOT NULL UNIQUE,
	display TEXT NOT NULL,
	mail TEXT NOT NULL,
	roles TEXT NOT NULL,
	password TEXT NOT NULL,
	issuer TEXT NOT NULL,
	subject TEXT NOT NULL,
	disabled BIGINT NOT NULL,
	created BIGINT NOT NULL,
	version BIGINT NOT NULL
);
CREATE UNIQUE INDEX users_subject ON users (issuer, subject) WHERE issuer <> '';

CREATE TABLE sessions (
	hash TEXT PRIMARY KEY,
	user_id TEXT NOT NULL REFERENCES users (id),
	agent TEXT NOT NULL,
	created BIGINT NOT NULL,
	seen BIGINT NOT NULL,
	expires BIGINT NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id);

CREATE TABLE tokens (
	id TEXT PRIMARY KEY,
	hash TEXT NOT NULL UNIQUE,
	hint TEXT NOT NULL,
	user_id TEXT NOT NULL REFERENCES users (id),
	name TEXT NOT NULL,
	roles TEXT NOT NULL,
	created BIGINT NOT NULL,
	expires BIGINT NOT NULL,
	used BIGINT NOT NULL,
	revoked BIGINT NOT NULL
);
CREATE INDEX tokens_user ON tokens (user_id);

CREATE TABLE links (
	hash TEXT PRIMARY KEY,
	user_id TEXT NOT NULL,
	roles TEXT NOT NULL,
	created BIGINT NOT NULL,
	expires BIGINT NOT NULL,
	used BIGINT NOT NULL
);

CREATE TABLE attempts (
	attempt_key TEXT NOT NULL,
	at BIGINT NOT NULL
);
CREATE INDEX attempts_key ON attempts (attempt_key, at);

CREATE TABLE requests (
	by_id TEXT NOT NULL,
	idem_key TEXT NOT NULL,
	digest TEXT NOT NULL,
	at BIGINT NOT NULL,
	status BIGINT NOT NULL,
	type TEXT NOT NULL,
	body TEXT NOT NULL,
	PRIMARY KEY (by_id, idem_key)
);
CREATE INDEX requests_at ON requests (at);

CREATE TABLE webhooks (
	id TEXT PRIMARY KEY,
	url TEXT NOT NULL,
	kinds TEXT NOT NULL,
	apps TEXT NOT NULL,
	by_id TEXT NOT NULL,
	created BIGINT NOT NULL,
	enabled BIGINT NOT NULL,
	sent BIGINT NOT NULL,
	failures BIGINT NOT NULL,
	dropped BIGINT NOT NULL,
	next_at BIGINT NOT NULL,
	last_at BIGINT NOT NULL,
	last_note TEXT NOT NULL
);

CREATE TABLE mail (
	id TEXT PRIMARY KEY,
	send_key TEXT NOT NULL UNIQUE,
	app TEXT NOT NULL,
	case_id TEXT NOT NULL,
	message TEXT NOT NULL,
	state TEXT NOT NULL,
	via TEXT NOT NULL,
	tries BIGINT NOT NULL,
	last_error TEXT NOT NULL,
	created BIGINT NOT NULL,
	sent BIGINT NOT NULL
);
CREATE INDEX mail_created ON mail (created, id);

CREATE TABLE settings (
	name TEXT PRIMARY KEY,
	value TEXT NOT NULL,
	updated BIGINT NOT NULL
);

CREATE TABLE eval_runs (
	id TEXT PRIMARY KEY,
	app TEXT NOT NULL,
	suite TEXT NOT NULL,
	player TEXT NOT NULL,
	body TEXT NOT NULL,
	at BIGINT NOT NULL
);
CREATE INDEX eval_runs_at ON eval_runs (app, suite, at);

CREATE TABLE eval_rows (
	eval_run TEXT NOT NULL REFERENCES eval_runs (id),
	seq BIGINT NOT NULL,
	example TEXT NOT NULL,
	body TEXT NOT NULL,
	PRIMARY KEY (eval_run, seq)
);

CREATE TABLE labels (
	id TEXT PRIMARY KEY,
	app TEXT NOT NULL,
	body TEXT NOT NULL,
	label TEXT NOT NULL, -- '' until a person has said something
	queued BIGINT NOT NULL,
	labelled BIGINT NOT NULL
);
CREATE INDEX labels_queued ON labels (app, queued) WHERE labelled = 0;

-- Event ids grow with the transaction that wrote them, above this base. It moves up
-- when the database came from a cluster whose transaction numbers were higher.
CREATE TABLE event_base (
	one BIGINT PRIMARY KEY CHECK (one = 1),
	base BIGINT NOT NULL
);
INSERT INTO event_base (one, base) VALUES (1, 0);
