CREATE TABLE netra_clock (
	id    INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
	seq   BIGINT NOT NULL,
	epoch BIGINT NOT NULL
);

INSERT INTO netra_clock (id, seq, epoch) VALUES (1, 0, 0);

CREATE TABLE netra_signals (
	id            TEXT NOT NULL PRIMARY KEY,
	seq           BIGINT NOT NULL UNIQUE,
	state         TEXT NOT NULL,
	district      TEXT NOT NULL,
	location      TEXT NOT NULL,
	event_summary TEXT NOT NULL,
	at            BIGINT NOT NULL,
	source_url    TEXT NOT NULL,
	source_type   TEXT NOT NULL,
	layers        TEXT NOT NULL,
	polarity      TEXT NOT NULL CHECK (polarity IN ('escalatory', 'stabilizing', 'neutral')),
	severity      INTEGER NOT NULL CHECK (severity BETWEEN 1 AND 5),
	tags          TEXT NOT NULL,
	sources       INTEGER NOT NULL,
	by_rule       TEXT NOT NULL,
	by_model      TEXT NOT NULL,
	used          TEXT NOT NULL CHECK (used IN ('rule', 'given', 'model')),
	taken         BIGINT NOT NULL
);

CREATE INDEX netra_signals_place ON netra_signals (state, district, at);
CREATE INDEX netra_signals_at ON netra_signals (at);

CREATE TABLE netra_sources (
	signal TEXT NOT NULL,
	source TEXT NOT NULL,
	PRIMARY KEY (signal, source)
);

CREATE TABLE netra_scores (
	state    TEXT NOT NULL,
	district TEXT NOT NULL,
	hours    INTEGER NOT NULL,
	at       BIGINT NOT NULL,
	score    INTEGER NOT NULL,
	band     TEXT NOT NULL,
	trend    TEXT NOT NULL,
	signals  INTEGER NOT NULL,
	version  TEXT NOT NULL,
	data     TEXT NOT NULL,
	PRIMARY KEY (state, district, hours, at)
);

CREATE TABLE netra_reviews (
	id          TEXT NOT NULL PRIMARY KEY,
	state       TEXT NOT NULL,
	district    TEXT NOT NULL,
	hours       INTEGER NOT NULL,
	score_at    BIGINT NOT NULL,
	score       INTEGER NOT NULL,
	band        TEXT NOT NULL,
	false_alarm INTEGER NOT NULL CHECK (false_alarm IN (0, 1)),
	note        TEXT NOT NULL,
	reviewer    TEXT NOT NULL,
	at          BIGINT NOT NULL,
	UNIQUE (state, district, hours, score_at, reviewer)
);

CREATE TABLE netra_params (
	id        TEXT NOT NULL PRIMARY KEY,
	version   TEXT NOT NULL,
	params    TEXT NOT NULL,
	why       TEXT NOT NULL,
	proposer  TEXT NOT NULL,
	proposed  BIGINT NOT NULL,
	backtest  TEXT NOT NULL,
	case_id   TEXT NOT NULL,
	status    TEXT NOT NULL CHECK (status IN ('proposed', 'adopted', 'rejected')),
	decided   BIGINT NOT NULL,
	decided_by TEXT NOT NULL
);

CREATE TABLE netra_archives (
	id        TEXT NOT NULL PRIMARY KEY,
	at        BIGINT NOT NULL,
	before_at BIGINT NOT NULL,
	removed   INTEGER NOT NULL,
	remaining INTEGER NOT NULL,
	digest    TEXT NOT NULL,
	counts    TEXT NOT NULL
);

CREATE TABLE netra_gates (
	model    TEXT NOT NULL PRIMARY KEY,
	examples INTEGER NOT NULL,
	agreed   INTEGER NOT NULL,
	at       BIGINT NOT NULL
);
