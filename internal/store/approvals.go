package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"dossier"
	"dossier/internal/db"
	"dossier/internal/records"
)

const approvalColumns = `id, case_id, app, run_id, call_id, tool, args, evidence, digest, title, why, roles, verbs, need,
	four_eyes, for_id, status, asked, remind, expires, escalate, voided_by, model, doubt`

func scanApproval(r db.Row) (a dossier.Approval, err error) {
	var evidence, roles, verbs, escalate string
	err = r.Scan(&a.ID, &a.Case, &a.App, &a.Run, &a.Call, &a.Tool, &a.Args, &evidence, &a.Digest, &a.Title, &a.Why,
		&roles, &verbs, &a.Need, &a.FourEyes, &a.For, &a.Status, &a.Asked, &a.Remind, &a.Expires, &escalate, &a.VoidedBy, &a.Model, &a.Doubt)
	if err != nil {
		return a, err
	}
	for _, err := range []error{
		unlist(evidence, &a.Evidence), unlist(roles, &a.Roles), unlist(verbs, &a.Verbs), unlist(escalate, &a.Escalate),
	} {
		if err != nil {
			return a, err
		}
	}
	return a, nil
}

func (s *Store) insertApproval(ctx context.Context, a dossier.Approval, at time.Time) (dossier.Approval, error) {
	if a.ID == "" {
		a.ID = dossier.ApprovalID(s.newID("ap-"))
	}
	if a.Status == "" {
		a.Status = dossier.Pending
	}
	if a.Asked.IsZero() {
		a.Asked = at
	}
	a.Need = max(a.Need, 1)
	_, err := s.db.Exec(ctx, "INSERT INTO approvals ("+approvalColumns+`, decided, reminded) VALUES ($1, $2, $3, $4, $5, $6,
		$7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, 0, 0)`,
		a.ID, a.Case, a.App, a.Run, a.Call, a.Tool, a.Args, list(a.Evidence), a.Digest, a.Title, a.Why, list(a.Roles),
		list(a.Verbs), a.Need, a.FourEyes, a.For, a.Status, a.Asked, a.Remind, a.Expires, list(a.Escalate), a.VoidedBy, a.Model, a.Doubt)
	if err != nil {
		return a, fmt.Errorf("store approval %s: %w", a.ID, err)
	}
	return a, nil
}

// Approval returns an approval with its decisions.
func (s *Store) Approval(ctx context.Context, id dossier.ApprovalID) (dossier.Approval, error) {
	as, err := s.approvalsWhere(ctx, "WHERE id = $1", id)
	if err != nil {
		return dossier.Approval{}, err
	}
	if len(as) == 0 {
		return dossier.Approval{}, dossier.Errorf(dossier.NotFound, "There is no approval %s.", id)
	}
	return as[0], nil
}

// Approvals returns every approval that was asked in a run, oldest first.
func (s *Store) Approvals(ctx context.Context, id dossier.RunID) ([]dossier.Approval, error) {
	return s.approvalsWhere(ctx, "WHERE run_id = $1 ORDER BY asked, id", id)
}

// ApprovalsOf returns the approvals of a case, oldest first.
func (s *Store) ApprovalsOf(ctx context.Context, id dossier.CaseID) ([]dossier.Approval, error) {
	return s.approvalsWhere(ctx, "WHERE case_id = $1 ORDER BY asked, id", id)
}

func (s *Store) approvalsWhere(ctx context.Context, cond string, args ...any) ([]dossier.Approval, error) {
	rows, err := s.db.Query(ctx, "SELECT "+approvalColumns+" FROM approvals "+cond, args...)
	as, err := db.Collect(rows, err, scanApproval)
	if err != nil {
		return nil, fmt.Errorf("approvals: %w", err)
	}
	return as, s.withDecisions(ctx, as)
}

// withDecisions fills in what people decided.
func (s *Store) withDecisions(ctx context.Context, as []dossier.Approval) error {
	for chunk := range slices.Chunk(as, 100) {
		w := where{}
		at := map[dossier.ApprovalID]*dossier.Approval{}
		ids := make([]dossier.ApprovalID, len(chunk))
		for i := range chunk {
			ids[i] = chunk[i].ID
			at[chunk[i].ID] = &chunk[i]
		}
		oneOf(&w, "approval", ids)
		rows, err := s.db.Query(ctx, "SELECT approval, verb, by_id, by_name, by_roles, at, args, note FROM decisions"+
			w.sql()+" ORDER BY approval, seq", w.args...)
		_, err = db.Collect(rows, err, func(r db.Row) (none struct{}, err error) {
			var id dossier.ApprovalID
			var d dossier.Decision
			var roles string
			if err := r.Scan(&id, &d.Verb, &d.By.ID, &d.By.Name, &roles, &d.At, &d.Args, &d.Note); err != nil {
				return none, err
			}
			if err := unlist(roles, &d.By.Roles); err != nil {
				return none, err
			}
			at[id].Decisions = append(at[id].Decisions, d)
			return none, nil
		})
		if err != nil {
			return fmt.Errorf("decisions: %w", err)
		}
	}
	return nil
}

// ListApprovals returns approvals, newest asked first.
func (s *Store) ListApprovals(ctx context.Context, q records.ApprovalQuery) ([]dossier.Approval, error) {
	w := where{}
	if !oneOf(&w, "app", q.Apps) || !oneOf(&w, "status", q.Statuses) {
		return nil, nil
	}
	w.equal("case_id", string(q.Case))
	w.equal("tool", q.Tool)
	if q.DecidedBy != "" {
		w.add("EXISTS (SELECT 1 FROM decisions d WHERE d.approval = approvals.id AND d.by_id = ?)", q.DecidedBy)
	}
	if q.Roles != nil {
		mayDecide(&w, q)
	}
	w.after("asked", q.After)
	if q.Limit <= 0 {
		q.Limit = 1000
	}
	query := "SELECT " + approvalColumns + " FROM approvals" + w.sql() + " ORDER BY asked DESC, id DESC" + w.limit(q.Limit)
	rows, err := s.db.Query(ctx, query, w.args...)
	if err != nil {
		return nil, fmt.Errorf("approvals: %w", err)
	}
	as, err := pick(rows, q)
	if err != nil {
		return nil, fmt.Errorf("approvals: %w", err)
	}
	return as, s.withDecisions(ctx, as)
}

// mayDecide keeps the approvals whose stored lists of roles hold one of q's. Roles are
// told apart here without regard to letter case; pick is exact.
func mayDecide(w *where, q records.ApprovalQuery) {
	conds, args := []string{"1 = 0"}, []any{}
	for _, r := range q.Roles {
		quoted := strings.Trim(list([]dossier.Role{r}), "[]")
		like := "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(quoted) + "%"
		conds = append(conds, `roles LIKE ? ESCAPE '\' OR remind > 0 AND remind <= ? AND escalate LIKE ? ESCAPE '\'`)
		args = append(args, like, q.Now, like)
	}
	w.add("("+strings.Join(conds, " OR ")+")", args...)
}

// pick reads the approvals that the roles of q may decide, up to its limit.
func pick(rows db.Rows, q records.ApprovalQuery) (as []dossier.Approval, err error) {
	defer rows.Close()
	for len(as) < q.Limit && rows.Next() {
		a, err := scanApproval(rows)
		if err != nil {
			return nil, err
		}
		roles := a.Roles
		if !a.Remind.IsZero() && !a.Remind.After(q.Now) {
			roles = append(slices.Clone(roles), a.Escalate...)
		}
		if q.Roles == nil || slices.ContainsFunc(q.Roles, func(r dossier.Role) bool { return slices.Contains(roles, r) }) {
			as = append(as, a)
		}
	}
	return as, rows.Err()
}

// Settle saves a's status and, if it holds one more than is stored, its newest
// decision. It returns dossier.Conflict if a was decided, voided or has expired since
// it was read. A run whose approval is no longer pending is made ready and queued.
func (s *Store) Settle(ctx context.Context, a dossier.Approval) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		if a.Status != dossier.Pending {
			if err := s.wake(ctx, a.Run, true); err != nil {
				return err
			}
		}
		if a.Status == dossier.Void || a.Status == dossier.Expired {
			return s.lapse(ctx, a)
		}
		if len(a.Decisions) == 0 {
			return dossier.Errorf(dossier.Invalid, "There is no decision to save.")
		}
		return s.decide(ctx, a, a.Decisions[len(a.Decisions)-1], len(a.Decisions))
	})
}

// lapse ends an approval that nobody will decide any more.
func (s *Store) lapse(ctx context.Context, a dossier.Approval) error {
	var events []records.Event
	kind, text := records.ApprovalExpired, "Expired unanswered: "+a.Title
	if a.Status == dossier.Void {
		kind, text = records.ApprovalVoid, voidText(a)
	}
	if err := s.endApproval(ctx, a, unused[:1], kind, text, s.now(), &events); err != nil {
		return err
	}
	if len(events) == 0 {
		return s.settledMeanwhile(ctx, a.ID)
	}
	return s.publish(ctx, events...)
}

// wants is what an approval asks for. An act in doubt takes the verbs in a sense of its
// own, which whoever reads of it elsewhere than in the console must be told.
func wants(a dossier.Approval) string {
	if a.Doubt {
		return a.Title + " Approve does it again, respond records that it happened, reject that it did not."
	}
	return a.Title
}

func voidText(a dossier.Approval) string { return "Void: " + a.Title + " " + a.VoidedBy }

func (s *Store) decide(ctx context.Context, a dossier.Approval, d dossier.Decision, seq int) error {
	n, err := s.db.Exec(ctx, `UPDATE approvals SET status = $2, decided = $3
		WHERE id = $1 AND status = 'pending' AND decided = $4`, a.ID, a.Status, seq, seq-1)
	if err != nil {
		return fmt.Errorf("settle approval %s: %w", a.ID, err)
	}
	if n == 0 {
		return s.settledMeanwhile(ctx, a.ID)
	}
	_, err = s.db.Exec(ctx, `INSERT INTO decisions (approval, seq, verb, by_id, by_name, by_roles, at, args, note)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		a.ID, seq, d.Verb, d.By.ID, d.By.Name, list(d.By.Roles), d.At, d.Args, d.Note)
	if err != nil {
		return fmt.Errorf("settle approval %s: %w", a.ID, err)
	}
	return s.publish(ctx, decided(a, d))
}

func (s *Store) settledMeanwhile(ctx context.Context, id dossier.ApprovalID) error {
	a, err := s.Approval(ctx, id)
	if err != nil {
		return err
	}
	if a.Status == dossier.Void {
		return dossier.Errorf(dossier.Conflict, "This request has become void: %s", a.VoidedBy)
	}
	return dossier.Errorf(dossier.Conflict, "Somebody decided this a moment ago. Look again.")
}

func decided(a dossier.Approval, d dossier.Decision) records.Event {
	verb := map[dossier.Verb]string{
		dossier.Approve: "approved", dossier.Edit: "approved with changes",
		dossier.Reject: "rejected", dossier.Respond: "answered",
	}[d.Verb]
	if a.Doubt {
		verb = map[dossier.Verb]string{
			dossier.Approve: "has it done again", dossier.Reject: "says that it did not", dossier.Respond: "says that it did",
		}[d.Verb]
	}
	text := fmt.Sprintf("%s %s: %s", d.By.Name, verb, a.Title)
	if d.Note != "" {
		text += " – " + d.Note
	}
	return records.Event{
		At: d.At, App: a.App, Case: a.Case, Run: a.Run, Approval: a.ID, Kind: records.ApprovalDecided, By: d.By.ID, Text: text,
		Data: data(map[string]string{"verb": string(d.Verb), "status": string(a.Status)}),
	}
}
