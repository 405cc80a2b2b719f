package operation

import "dossier/apps/gatepass/grammar"

func gateOperations() []Operation {
	return []Operation{
		{
			Name: "scan_exit", Does: "record an exit",
			Doc:     "Record that a person leaves the premises. Requires the pass number and a photo of the person, given as the reference of an attached file.",
			Example: "GP-2026-0012 is going out. (with a photo attached)",
			Desks:   []string{Gate}, Method: "POST", Endpoint: "/gate/scan-exit",
			Cues: []string{
				"exit|exiting|leaving|outgoing|exited*1.9 !? !who|people|those|passes|list", "leave*1.2 !? !it !without", "scan|mark|check|let|send|take|step|clock|sign*0.8 out*1.2 !? !everyone|everybody|all|without",
				"going|go|goes|went|gone*0.8 out|outside*1.1 !?", "out|outside*1.1 going|go|gone*0.8 !?", "#*0.6 left|leaving|out|going|go|departed*1.3 !?", "open*0.6 gate*0.6 #|~*0.6 !?",
				"#*0.6 open*0.2 gate|go*0.7 !?", "#*0.4 out*1.4 . !?", "let|send*0.8 ~*0.4 out|go*1 !?",
			},
			Slots: []grammar.Slot{number(), photo()},
		},
		{
			Name: "scan_return", Does: "record a return",
			Doc:     "Record that a person returns to the premises. Requires the pass number and a photo of the person, given as the reference of an attached file.",
			Example: "GP-2026-0012 is back. (with a photo attached)",
			Desks:   []string{Gate}, Method: "POST", Endpoint: "/gate/scan-return",
			Cues: []string{
				"return|returning|returned|incoming|reentry|entering|entered|reentering*1.9 !? !who|people|those|passes|list", "re*0.8 entry|enter|entering*1.2 !?", "back*1.8 !? !not",
				"scan|mark|check|let|clock|sign*0.8 in*1.2 !?", "come|coming|comes|came*0.8 in|inside|back*1.1 !?", "#*0.4 in*1.4 . !?",
				"let*0.8 ~*0.4 in*1 !?",
			},
			Slots: []grammar.Slot{number(), photo()},
		},
		{
			Name: "get_gate_pass_by_number_gate", Does: "look a pass up",
			Doc:     "Get the details of a gate pass by its pass number.",
			Example: "Is GP-2026-0012 approved?",
			Desks:   []string{Gate}, Method: "GET", Endpoint: "/gate/gatepass/number/{pass_number}",
			Cues: append([]string{"check|verify|look|find|see*0.9 pass*0.6 !id", "pass|this valid|genuine|ok*1 ??"}, lookCues...), Slots: []grammar.Slot{number()},
		},
		{
			Name: "get_gate_pass_by_id_gate", Does: "look a pass up by its id",
			Doc:     "Get the details of a gate pass by its pass id.",
			Example: "Look up pass-1f0a9c3b.",
			Desks:   []string{Gate}, Method: "GET", Endpoint: "/gate/gatepass/id/{pass_id}",
			Cues:  append([]string{"by|with*0.8 id*1.2", "id*1.6"}, lookCues...),
			Slots: []grammar.Slot{{Name: "pass_id", Kind: grammar.ID, Ask: "What is the pass id? It looks like pass-1f0a9c3b."}},
		},
		{
			Name: "get_gate_pass_photos", Does: "show the photos of a pass",
			Doc:     "List the photos taken at the exit and the return of a gate pass.",
			Example: "Show the photos of GP-2026-0012.",
			Desks:   []string{Gate}, Method: "GET", Endpoint: "/gate/photos/{pass_number}",
			Cues: []string{
				"show|see|get|retrieve|pull|view|any|display*0.9 photo|photos*1.8 !attached !uploaded !here", "photo|photos*1.7 !attached !uploaded !here !see",
				"photo|photos*1.7 of|for|on*0.4 !attached !uploaded !here", "look*1.2 like*1.2",
			},
			Slots: []grammar.Slot{number()},
		},
	}
}
