package office_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"dossier/apps/gatepass/office"
	"dossier/apps/gatepass/pass"
)

func TestPrint(t *testing.T) {
	t.Parallel()
	o, clock := open(t, "sqlite")
	tests := []struct{ name, person, purpose string }{
		{"plain", "Ravi Kumar", "bank"},
		{"Devanagari", "लक्ष्मी नारायण श्रीनिवास", "बैंक जाना है"},
		{"diacritics", "Śrīmatī Čapková Łucja", "Zürich büro"},
		{"long", "Lakshmi Narayanan", strings.Repeat("collecting samples from the stores at Whitefield ", 10)},
		{"no font", "王小明", "visit"},
	}
	for _, tt := range tests {
		p, err := o.Create(t.Context(), hana, office.New{Person: tt.person, Purpose: tt.purpose, Returnable: yes(), ReturnBy: clock.Now().Add(time.Hour).Format(time.RFC3339)})
		if err != nil {
			t.Fatal(err)
		}
		do(t, o, meera, p, pass.Approve)
		_, doc, err := o.Print(t.Context(), p.Number)
		if err != nil || !strings.HasPrefix(string(doc), "%PDF-") || !strings.Contains(string(doc), "/Subtype /Image") {
			t.Errorf("G-020 %s: %d bytes, %v", tt.name, len(doc), err)
		}
		if dir := os.Getenv("GATEPASS_PRINTS"); dir != "" { // for people to look at
			if err := os.WriteFile(dir+"/"+tt.name+".pdf", doc, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	p := create(t, o, "No Code", "x", no())
	do(t, o, meera, p, pass.Reject)
	if _, doc, err := o.Print(t.Context(), p.Number); err != nil || strings.Contains(string(doc), "/Subtype /Image") {
		t.Errorf("G11 a rejected pass is printed with a code: %v", err)
	}
}
