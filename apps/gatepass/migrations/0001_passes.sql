CREATE TABLE gatepass_numbers (
	year INTEGER PRIMARY KEY,
	last BIGINT NOT NULL
);

CREATE TABLE gatepass_passes (
	ord BIGINT PRIMARY KEY,
	id TEXT NOT NULL UNIQUE,
	number TEXT NOT NULL UNIQUE,
	person TEXT NOT NULL,
	purpose TEXT NOT NULL,
	returnable INTEGER NOT NULL,
	status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'rejected', 'exited', 'returned', 'deleted')),
	created_at BIGINT NOT NULL,
	created_by TEXT NOT NULL,
	approved_at BIGINT NOT NULL DEFAULT 0,
	approved_by TEXT NOT NULL DEFAULT '',
	claimed_name TEXT NOT NULL DEFAULT '',
	exit_at BIGINT NOT NULL DEFAULT 0,
	return_at BIGINT NOT NULL DEFAULT 0,
	return_by BIGINT NOT NULL DEFAULT 0,
	unverified INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX gatepass_passes_status ON gatepass_passes (status, returnable, ord);

CREATE INDEX gatepass_passes_created ON gatepass_passes (created_at);

CREATE TABLE gatepass_words (
	word TEXT NOT NULL,
	ord BIGINT NOT NULL,
	PRIMARY KEY (word, ord)
);

CREATE TABLE gatepass_history (
	ord BIGINT NOT NULL,
	seq INTEGER NOT NULL,
	op TEXT NOT NULL,
	from_status TEXT NOT NULL,
	to_status TEXT NOT NULL,
	by_id TEXT NOT NULL,
	by_name TEXT NOT NULL,
	note TEXT NOT NULL,
	photo TEXT NOT NULL,
	source TEXT NOT NULL,
	at BIGINT NOT NULL,
	PRIMARY KEY (ord, seq)
);

CREATE TABLE gatepass_photos (
	ord BIGINT NOT NULL,
	op TEXT NOT NULL,
	sha256 TEXT NOT NULL,
	mime TEXT NOT NULL,
	width INTEGER NOT NULL,
	height INTEGER NOT NULL,
	size BIGINT NOT NULL,
	at BIGINT NOT NULL,
	PRIMARY KEY (ord, op)
);

CREATE TABLE gatepass_notifications (
	id TEXT PRIMARY KEY,
	desk TEXT NOT NULL,
	message TEXT NOT NULL,
	type TEXT NOT NULL,
	pass_id TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	read_at BIGINT NOT NULL DEFAULT 0,
	read_by TEXT NOT NULL DEFAULT ''
);

CREATE INDEX gatepass_notifications_desk ON gatepass_notifications (desk, created_at, id);

CREATE TABLE gatepass_requests (
	principal TEXT NOT NULL,
	request_key TEXT NOT NULL,
	digest TEXT NOT NULL,
	status INTEGER NOT NULL,
	body TEXT NOT NULL,
	at BIGINT NOT NULL,
	PRIMARY KEY (principal, request_key)
);

CREATE INDEX gatepass_requests_at ON gatepass_requests (at);

CREATE TABLE gatepass_attachments (
	ref TEXT PRIMARY KEY,
	owner TEXT NOT NULL,
	name TEXT NOT NULL,
	mime TEXT NOT NULL,
	sha256 TEXT NOT NULL,
	at BIGINT NOT NULL
);

CREATE TABLE gatepass_offline (
	scan TEXT PRIMARY KEY,
	number TEXT NOT NULL,
	op TEXT NOT NULL,
	gate TEXT NOT NULL,
	scanned_at BIGINT NOT NULL,
	synced_at BIGINT NOT NULL,
	outcome TEXT NOT NULL,
	reason TEXT NOT NULL,
	by_id TEXT NOT NULL
);
