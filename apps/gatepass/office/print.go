package office

import (
	"context"
	"fmt"
	"time"

	"github.com/johnfercher/maroto/v2"
	"github.com/johnfercher/maroto/v2/pkg/components/col"
	"github.com/johnfercher/maroto/v2/pkg/components/image"
	"github.com/johnfercher/maroto/v2/pkg/components/line"
	sheet "github.com/johnfercher/maroto/v2/pkg/components/row"
	"github.com/johnfercher/maroto/v2/pkg/components/signature"
	"github.com/johnfercher/maroto/v2/pkg/components/text"
	"github.com/johnfercher/maroto/v2/pkg/config"
	"github.com/johnfercher/maroto/v2/pkg/consts/align"
	"github.com/johnfercher/maroto/v2/pkg/consts/extension"
	"github.com/johnfercher/maroto/v2/pkg/consts/fontstyle"
	"github.com/johnfercher/maroto/v2/pkg/consts/pagesize"
	"github.com/johnfercher/maroto/v2/pkg/core"
	"github.com/johnfercher/maroto/v2/pkg/props"

	"dossier"
	"dossier/apps/gatepass/pass"
	"dossier/apps/gatepass/qr"
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
	m := maroto.New(config.NewBuilder().WithPageSize(pagesize.A5).WithLeftMargin(12).WithTopMargin(12).WithRightMargin(12).
		WithTitle("Gate pass "+p.Number, true).WithCreationDate(p.CreatedAt).Build())
	m.AddRows(o.form(p, code)...)
	doc, err := m.Generate()
	if err != nil {
		return p, nil, dossier.Errorf(dossier.Internal, "The pass could not be printed.").Because(err)
	}
	return p, doc.GetBytes(), nil
}

func (o *Office) form(p pass.Pass, code []byte) []core.Row {
	rows := []core.Row{
		sheet.New(12).Add(col.New(12).Add(text.New("GATE PASS", props.Text{Size: 18, Style: fontstyle.Bold, Align: align.Center}))),
		sheet.New(9).Add(col.New(12).Add(text.New(p.Number, props.Text{Size: 14, Align: align.Center}))),
		sheet.New(4).Add(col.New(12).Add(line.New())),
	}
	for _, f := range o.fields(p) {
		rows = append(rows, sheet.New(8).Add(
			col.New(4).Add(text.New(f[0], props.Text{Size: 10, Style: fontstyle.Bold})),
			col.New(8).Add(text.New(latin(f[1]), props.Text{Size: 10})),
		))
	}
	if code != nil {
		rows = append(rows, sheet.New(52).Add(col.New(12).Add(image.NewFromBytes(code, extension.Png, props.Rect{Center: true, Percent: 95}))))
	}
	return append(rows, sheet.New(22).Add(
		col.New(4).Add(signature.New("Holder", props.Signature{FontSize: 8})),
		col.New(4).Add(signature.New("Approved by", props.Signature{FontSize: 8})),
		col.New(4).Add(signature.New("Gate", props.Signature{FontSize: 8})),
	))
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

// latin keeps what the printer's built-in font can show; other letters become "?".
func latin(s string) string {
	out := make([]rune, 0, len(s))
	for _, r := range s {
		if r > 0xff {
			r = '?'
		}
		out = append(out, r)
	}
	return string(out)
}
