CREATE INDEX gatepass_passes_exit ON gatepass_passes (exit_at);
CREATE INDEX gatepass_passes_return_by ON gatepass_passes (return_by) WHERE return_by > 0;
