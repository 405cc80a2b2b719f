CREATE INDEX poolpatrol_audits_took ON poolpatrol_audits (took);
