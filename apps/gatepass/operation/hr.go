package operation

import "dossier/apps/gatepass/grammar"

func hrOperations() []Operation {
	return []Operation{
		{
			Name: "create_gate_pass", Does: "create a pass",
			Doc:     "Create a new gate pass for a person. Requires the person's name, the purpose, and whether the person will return. return_by is optional: when the person is expected back.",
			Example: "Create a pass for Ravi Kumar to visit the bank, he'll be back by 4 pm.",
			Desks:   []string{HR}, Method: "POST", Endpoint: "/hr/gatepass/create",
			Cues: []string{
				"create|make|raise|generate|issue|prepare|new|arrange|apply*1.2 pass*0.8 !qr !print !printout",
				"need|want|require|like|give*0.5 pass*0.8 !see !show !print !printout !details !approve !delete !reject !status !printable !qr !photos !know !look",
				"^ pass*0.8 for*0.7 !? !passes", "possible|get*0.5 pass*0.8 made|done|issued|raised*0.6", "possible*0.6 have|get|arrange*0.5 pass*0.8",
				"^ two|three|four|five*1.2 passes*1.3 !?",
				"pass*0.8 make|create|raise|issue|arrange|need*1.2 !qr !print !printout !show !see", "create|raise|issue*0.9 !qr !notifications",
			},
			Slots: []grammar.Slot{
				{Name: "person_name", Kind: grammar.Person, Ask: "Who is the pass for?"},
				{Name: "description", Kind: grammar.Purpose, Ask: "What is the purpose of leaving?"},
				{Name: "is_returnable", Kind: grammar.YesNo, Ask: "Will the person come back?"},
				{Name: "return_by", Kind: grammar.Moment, Optional: true, Ask: "By when will the person come back? Say a time, for example 4 pm, or that it is not known."},
			},
		},
		{
			Name: "list_gate_passes", Does: "list passes",
			Doc:     "List gate passes, newest first, with optional filters. status is pending, approved, rejected, exited, returned, pending_return (outside and expected back) or completed; search is part of a person's name, purpose or number; date is the day of creation.",
			Example: "Which passes are still pending?",
			Desks:   []string{HR}, Method: "GET", Endpoint: "/hr/gatepass/list", Cues: listCues, Slots: filters(), List: true,
		},
		{
			Name: "get_gate_pass_details", Does: "show a pass",
			Doc:     "Get all details of one gate pass by its id; its pass number will do too.",
			Example: "What is the status of GP-2026-0012?",
			Desks:   []string{HR}, Method: "GET", Endpoint: "/hr/gatepass/{pass_id}", Cues: lookCues,
			Slots: []grammar.Slot{{Name: "pass_id", Kind: grammar.PassRef, Ask: "Which pass? Tell me its number or id, for example GP-2026-0012."}},
		},
		{
			Name: "print_gate_pass", Does: "print a pass",
			Doc:     "Make a printable version of a gate pass by its pass number (GP-YYYY-NNNN).",
			Example: "Print GP-2026-0012.",
			Desks:   []string{HR}, Method: "GET", Endpoint: "/hr/gatepass/{pass_number}/print", Cues: printCues, Slots: []grammar.Slot{number()},
		},
	}
}

var printCues = []string{"print|printout|printable|pdf|hardcopy|reprint*2 !qr !printer", "hard*1 copy*1", "on*0.5 paper*1.5", "download*1 #|~|pass*0.6", "copy*1 #|pass*0.6"}
