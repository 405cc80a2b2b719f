// Package operation declares the twenty operations of the Gate Pass API that people
// can ask for: what each is called, who may use it, which request it makes, what it
// needs to know and how people ask for it.
//
// The declarations are the one source for three readers: the tools that a model or
// the reference policy calls, the grammar that understands people without a model,
// and the page that lists what an assistant can do. Adding an operation here makes it
// callable and understandable at once. The package makes no request itself.
package operation

import (
	"slices"
	"strings"
	"sync"

	"dossier/apps/gatepass/grammar"
)

// The desks, by the words people use for them.
const (
	HR    = "hr"
	Admin = "admin"
	Gate  = "gate"
)

// Desks lists the desks.
var Desks = []string{HR, Admin, Gate}

// RequiredRole returns the role that the source design names for desks.
func RequiredRole(desks []string) string {
	names := map[string]string{HR: "HR_User", Admin: "Admin_User", Gate: "Gate_User"}
	if len(desks) == len(Desks) {
		return "All"
	}
	out := make([]string, 0, len(desks))
	for _, d := range desks {
		out = append(out, names[d])
	}
	return strings.Join(out, ", ")
}

// An Operation is one operation of the API as people can ask for it.
type Operation struct {
	Name     string
	Doc      string // for a model
	Example  string // something a person might say
	Does     string // "approve a pass"
	Desks    []string
	Method   string // GET or POST
	Endpoint string // with {parameters}
	Cues     []string
	Slots    []grammar.Slot
	Confirm  bool
	List     bool
}

// For returns the operations that a desk may use, in their order.
func For(desk string) []Operation {
	var out []Operation
	for _, o := range All {
		if slices.Contains(o.Desks, desk) {
			out = append(out, o)
		}
	}
	return out
}

// Find returns an operation by name.
func Find(name string) (Operation, bool) {
	i := slices.IndexFunc(All, func(o Operation) bool { return o.Name == name })
	if i < 0 {
		return Operation{}, false
	}
	return All[i], true
}

// Grammar returns the grammar of all operations. It is made once; nothing changes it.
var Grammar = sync.OnceValue(func() *grammar.Grammar {
	var tools []grammar.Tool
	for _, o := range All {
		tools = append(tools, grammar.Tool{
			Name: o.Name, Does: o.Does, Role: strings.Join(o.Desks, " "), Cues: o.Cues, Slots: o.Slots,
			Confirm: o.Confirm, List: o.List, Acts: o.Method == "POST",
		})
	}
	return grammar.New(tools)
})

func number() grammar.Slot {
	return grammar.Slot{Name: "pass_number", Kind: grammar.Number, Ask: "Which pass? Tell me its number, for example GP-2026-0012."}
}

func me() grammar.Slot {
	return grammar.Slot{Name: "name", Kind: grammar.Me, Ask: "In whose name?"}
}

func photo() grammar.Slot {
	return grammar.Slot{Name: "photo", Kind: grammar.Photo, Ask: "Please attach a photo of the person (JPEG, PNG or HEIC)."}
}

func filters() []grammar.Slot {
	return []grammar.Slot{
		{Name: "status", Kind: grammar.Status, Optional: true},
		{Name: "search", Kind: grammar.Search, Optional: true},
		{Name: "date", Kind: grammar.Day, Optional: true},
		{Name: "page", Kind: grammar.Page, Optional: true},
	}
}

// lookCues ask for one pass. They serve every desk's own tool for it.
var lookCues = []string{
	"show|see|open|view|get|check|pull|find|look|tell|bring|share|verify|know|display #*0.6",
	"details|status|verify|lookup*1.1",
	"details|status #*0.6", "happened|about|regarding #*0.6",
	"show|see|open|view|check|look|tell ~*0.5 !passes", "about ~*0.5 !passes", "status|details ~*0.6", "pass about*0.3",
	"#*1.9 ??", "~*1.3 ?? !new !passes !notifications", "~*1.2 pass|one*1 ?? !passes",
	"see|show|find|get|check|view|open pass|one*0.6 !passes",
	"valid|genuine pass|# ??", "valid|genuine|allowed|ok ~*0.5 ??",
	"~*0.5 valid|genuine|allowed|approved ??",
	"^ #*0.7", "#*0.6", "first|second|third|fourth|last*0.7", "^ ~*0.5 pass|one*0.6 .",
}

// listCues ask for many passes.
var listCues = []string{
	"passes*1.3", "show|see|list|view|give|display|get|find|what|which passes*1.3",
	"list*1.2 all|pass|ones|those|them|gate*0.6", "list*0.9 &*0.6", "&*0.8 passes|ones|list|people|those|pass*0.8 !approve !reject",
	"who|which|whoever|anyone|any|how|people|those|what|all*0.9 &*1.2 !~", "show|see|give|list*0.6 &*0.9 !~",
	"search|find*1.2 !# !pass !qr !photo !photos !id", "any|have|does*0.6 pass*0.7 for*0.2 ??", "does*0.7 have*0.6 pass*0.6",
	"more|next*0.8 page|ones|please|.*0.4", "next*0.9 page*0.9", "show*0.5 more*0.9",
	"who*0.8 out|outside*0.8 !#", "people|those|who*0.9 out|outside|return|returned*1.2 !~", "list*1.0 all*0.4",
	"passes created|raised|made|issued|from|of|on @*0.6",
}

// All is every operation, in the order in which they are offered.
var All = slices.Concat(hrOperations(), adminOperations(), gateOperations(), sharedOperations())
