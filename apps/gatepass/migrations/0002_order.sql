CREATE INDEX gatepass_passes_order ON gatepass_passes (status, ord);
