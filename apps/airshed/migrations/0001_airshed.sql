CREATE TABLE airshed_sweeps (
	id         TEXT PRIMARY KEY,
	at         BIGINT NOT NULL,
	cause      TEXT NOT NULL,
	bucket     TEXT NOT NULL,
	object_key TEXT NOT NULL,
	object_sha TEXT NOT NULL,
	from_cache INTEGER NOT NULL,
	status     TEXT NOT NULL,
	detail     TEXT NOT NULL,
	surges     INTEGER NOT NULL,
	cases      INTEGER NOT NULL,
	problems   TEXT NOT NULL,
	snapshot   TEXT NOT NULL
);
CREATE INDEX airshed_sweeps_at ON airshed_sweeps (at);

CREATE TABLE airshed_surges (
	case_id  TEXT PRIMARY KEY,
	sweep_id TEXT NOT NULL REFERENCES airshed_sweeps (id),
	station  TEXT NOT NULL,
	at       BIGINT NOT NULL,
	run_from BIGINT NOT NULL,
	run_to   BIGINT NOT NULL,
	aqi      DOUBLE PRECISION NOT NULL,
	UNIQUE (station, at)
);

CREATE TABLE airshed_reports (
	report_id    TEXT PRIMARY KEY,
	case_id      TEXT NOT NULL UNIQUE,
	sweep_id     TEXT NOT NULL,
	station      TEXT NOT NULL,
	aqi          DOUBLE PRECISION NOT NULL,
	surge_at     BIGINT NOT NULL,
	run_from     BIGINT NOT NULL,
	run_to       BIGINT NOT NULL,
	generated_at BIGINT NOT NULL,
	confidence   DOUBLE PRECISION NOT NULL,
	status       TEXT NOT NULL,
	sha256       TEXT NOT NULL,
	body         TEXT NOT NULL,
	result       TEXT NOT NULL
);
CREATE INDEX airshed_reports_station ON airshed_reports (station, surge_at);

CREATE TABLE airshed_sequence (
	day  TEXT PRIMARY KEY,
	last INTEGER NOT NULL
);

CREATE TABLE airshed_readings (
	station TEXT NOT NULL,
	at      BIGINT NOT NULL,
	aqi     DOUBLE PRECISION NOT NULL,
	PRIMARY KEY (station, at)
);
