package office

import (
	"context"
	"fmt"
	"time"

	"dossier"
	"dossier/apps/gatepass/pass"
	"dossier/apps/gatepass/qr"
	"dossier/internal/pdf"
)

// Print makes the printable form of a pass: its particulars, the QR code and lines to
// sign on. A pass without a code prints without one.
func (o *Office) Print(ctx context.Context, ref string) (pass.Pass, []byte, error) {
	p, err := o.Pass(ctx, ref)
	if err != nil {
		return p, nil, err
	}
	var code []byte
	if !p.Status.Revoked() {
		if code, err = qr.PNG(qr.Sign(o.token(p), o.Sign), 480); err != nil {
			return p, nil, err
		}
	}
	doc, err := o.form(p, code).Bytes()
	if err != nil {
		return p, nil, dossier.Errorf(dossier.Internal, "The pass could not be printed.").Because(err)
	}
	return p, doc, nil
}

const margin = 12 // of the sheet, in millimetres

// form lays the pass out: particulars as long as they are, then the code as large as
// the page allows, then the lines to sign on.
func (o *Office) form(p pass.Pass, code []byte) *pdf.Sheet {
	s := pdf.New("A5", "Gate pass "+p.Number, p.CreatedAt)
	width, height := s.Size()
	left, right := float64(margin), width-margin
	s.Center("GATE PASS", left, right, 20, pdf.Type{Size: 18, Bold: true})
	s.Center(p.Number, left, right, 28, pdf.Type{Size: 14})
	s.Line(left, 32, right, 32)
	name, value := pdf.Type{Size: 10, Bold: true}, pdf.Type{Size: 10}
	y := 39.0
	for _, f := range o.fields(p) {
		s.Text(f[0], left, y, name)
		y = s.Paragraph(f[1], left+36, y, right-left-36, value) + 1.6
	}
	if s.Lacks() {
		y = s.Paragraph("A letter that this printer has no font for is shown as a box. The record of "+p.Number+" has it.", left, y, right-left, pdf.Type{Size: 8}) + 1
	}
	const signing = 24 // for the lines to sign on
	if code != nil {
		side := min(70, height-margin-signing-y)
		if side < 38 {
			s.Page()
			y, side = margin, 70
		}
		s.PNG(code, (width-side)/2, y, side, side)
		y += side
	} else if y > height-margin-signing {
		s.Page()
	}
	o.signatures(s, left, right, height-margin)
	return s
}

// signatures draws three lines to sign on, above y.
func (o *Office) signatures(s *pdf.Sheet, left, right, y float64) {
	who := []string{"Holder", "Approved by", "Gate"}
	each := (right - left) / float64(len(who))
	for i, w := range who {
		from := left + each*float64(i)
		s.Line(from+2, y-5, from+each-2, y-5)
		s.Center(w, from, from+each, y, pdf.Type{Size: 8})
	}
}

func (o *Office) fields(p pass.Pass) [][2]string {
	when := func(t *time.Time) string {
		if t == nil {
			return "-"
		}
		return t.In(o.Zone).Format("2 January 2006 15:04")
	}
	returns := "no"
	if p.Returnable {
		returns = "yes"
		if p.ReturnBy != nil {
			returns += ", by " + when(p.ReturnBy)
		}
	}
	approved := "-"
	if p.ApprovedAt != nil {
		approved = fmt.Sprintf("%s, %s", p.ApprovedBy, when(p.ApprovedAt))
		if p.ClaimedName != "" {
			approved += " (in the name of " + p.ClaimedName + ")"
		}
	}
	return [][2]string{
		{"Name", p.Person}, {"Purpose", p.Purpose}, {"Returns", returns}, {"Status", string(p.Status)},
		{"Asked for", fmt.Sprintf("%s, %s", p.CreatedBy, when(&p.CreatedAt))}, {"Approved", approved},
		{"Went out", when(p.ExitTime)}, {"Came back", when(p.ReturnTime)},
	}
}
