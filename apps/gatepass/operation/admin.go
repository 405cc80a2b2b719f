package operation

import "dossier/apps/gatepass/grammar"

func adminOperations() []Operation {
	return []Operation{
		{
			Name: "list_pending_gate_passes", Does: "list what waits for approval",
			Doc:     "List all gate passes that wait for approval.",
			Example: "What is waiting for my approval?",
			Desks:   []string{Admin}, Method: "GET", Endpoint: "/admin/gatepass/pending",
			Cues: []string{
				"pending*3 !~ !@", "waiting|awaiting|need|needs*1.4 approval|approve*1.4 !#", "waiting*1.6 pass*0.6 ??",
				"anything|something|what|any*0.9 approve*1.4 !#", "approval*1.1 queue|list*1.1", "queue*1.6", "yet*0.9 approved|approval*1.8 !#",
				"passes*1.2 me*0.4 look|check|review*0.6", "requests*1.4 !#", "anything|something|what|any*0.6 sign|decide|clear*0.8 off|on*0.4 !#", "sign*0.8 off*0.8 !#",
			},
		},
		{
			Name: "get_gate_pass_by_number", Does: "show a pass",
			Doc:     "Get all details of one gate pass by its pass number.",
			Example: "Show me GP-2026-0012.",
			Desks:   []string{Admin}, Method: "GET", Endpoint: "/admin/gatepass/{pass_number}", Cues: lookCues, Slots: []grammar.Slot{number()},
		},
		{
			Name: "approve_gate_pass", Does: "approve a pass",
			Doc:     "Approve a pending gate pass. Requires the pass number and the name of the approving admin.",
			Example: "Approve GP-2026-0012.",
			Desks:   []string{Admin}, Method: "POST", Endpoint: "/admin/gatepass/{pass_number}/approve",
			Cues: []string{
				"approve|accept|sanction|permit|authorise|grant*1.8 !not !? !never", "clear*1.2 #|~*0.6 !? !not", "give|grant*0.6 approval*1.4 !?",
				"green*1 light*1 !not", "go*0.7 ahead*0.8 #|~*0.6 !? !not", "ok|fine|happy|good*0.9 with*0.5 #|~*0.6 !? !not", "let*0.9 #|~*0.2 go|leave|through*0.9 !out !not", "#*0.6 approved*1.4 !? !not",
			},
			Slots: []grammar.Slot{number(), me()},
		},
		{
			Name: "reject_gate_pass", Does: "reject a pass",
			Doc:     "Reject a pending gate pass. Requires the pass number and the name of the rejecting admin.",
			Example: "Reject GP-2026-0012.",
			Desks:   []string{Admin}, Method: "POST", Endpoint: "/admin/gatepass/{pass_number}/reject",
			Cues: []string{
				"reject|decline|refuse|deny|disapprove*2 !?", "turn*1 down*1 !?", "not|never*0.9 approve|accept|allow|sanction*1.4 !?",
				"say*0.6 no*0.6 #|~*0.8", "no*0.9 from*0.6 me*0.4 !?", "not|never*0.9 let*0.7 #|~*0.4 go|out|through|thru|leave|pass*0.4 !?", "#*0.6 rejected|refused|denied*1.4 !?",
			},
			Slots: []grammar.Slot{number(), me()},
		},
		{
			Name: "delete_gate_pass", Does: "delete a pass",
			Doc:     "Delete a gate pass. Requires the pass number and the name of the admin. The person is always asked to confirm first.",
			Example: "Delete GP-2026-0012.",
			Desks:   []string{Admin}, Method: "POST", Endpoint: "/admin/gatepass/{pass_number}/delete",
			Cues: []string{
				"delete|remove|erase|scrap|discard|trash|purge*2.1 !? !not", "get*0.6 rid*1.5", "#|~*0.6 off|from*0.9 system|record|records|books|register*0.9 !? !not", "drop|wipe|strike*1 ~*0.4 from|off*0.6 !? !not", "#*0.6 deleted|removed*1.6 !?", "cancel*1.2 #*0.6",
			},
			Slots: []grammar.Slot{number(), me()}, Confirm: true,
		},
		{
			Name: "list_all_gate_passes_admin", Does: "list passes",
			Doc:     "List gate passes, newest first, with optional filters. status is pending, approved, rejected, exited, returned, deleted, pending_return (outside and expected back) or completed; search is part of a person's name, purpose or number; date is the day of creation.",
			Example: "Who is out now?",
			Desks:   []string{Admin}, Method: "GET", Endpoint: "/admin/gatepass/list", Cues: listCues, Slots: filters(), List: true,
		},
		{
			Name: "print_gate_pass_admin", Does: "print a pass",
			Doc:     "Make a printable version of a gate pass by its pass number.",
			Example: "Take a printout of GP-2026-0012.",
			Desks:   []string{Admin}, Method: "GET", Endpoint: "/admin/gatepass/{pass_number}/print", Cues: printCues, Slots: []grammar.Slot{number()},
		},
	}
}
