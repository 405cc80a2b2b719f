package operation

import "dossier/apps/gatepass/grammar"

var noteCues = []string{"notifications*2 !mark !dismiss", "what|anything|any*0.8 new*1 !pass !passes", "unread*1.6 !mark"}

func sharedOperations() []Operation {
	return []Operation{
		{
			Name: "get_admin_notifications", Does: "show notifications",
			Doc:     "Get the notifications of the admin desk, newest first.",
			Example: "Any notifications?",
			Desks:   []string{Admin}, Method: "GET", Endpoint: "/notifications/admin", Cues: noteCues,
		},
		{
			Name: "get_hr_notifications", Does: "show notifications",
			Doc:     "Get the notifications of the HR desk, newest first.",
			Example: "Do I have new notifications?",
			Desks:   []string{HR}, Method: "GET", Endpoint: "/notifications/hr", Cues: noteCues,
		},
		{
			Name: "mark_notification_read", Does: "mark a notification as read",
			Doc:     "Mark a notification as read.",
			Example: "Mark the first one as read.",
			Desks:   []string{HR, Admin}, Method: "POST", Endpoint: "/notifications/mark-read/{notification_id}",
			Cues: []string{
				"mark|set*1.6 read|seen*1", "read|seen*1 mark|set*1.6", "%*1.6", "read|seen|dismiss|mark|acknowledge*1 %*1.6", "dismiss|acknowledge*1.4 notifications*1",
			},
			Slots: []grammar.Slot{{Name: "notification_id", Kind: grammar.Note, Ask: "Which notification? Tell me its id, or first, second and so on."}},
		},
		{
			Name: "get_qr_code", Does: "get the QR code of a pass",
			Doc:     "Get the QR code of a gate pass.",
			Example: "QR code for GP-2026-0012.",
			Desks:   []string{HR, Admin, Gate}, Method: "GET", Endpoint: "/qr/{pass_number}",
			Cues:  []string{"qr*3"},
			Slots: []grammar.Slot{number()},
		},
	}
}
