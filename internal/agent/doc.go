// Package agent runs agents. A run is the list of its recorded steps: [Runner.Advance]
// reads them, takes one move, records it and returns, so a run survives a restart
// between any two moves and waiting costs nothing.
//
// What Advance does next follows from the steps alone:
//
//   - A call of the last model turn is unanswered: find the tool among those the
//     principal may use, plan the arguments, ask a person if the plan says so, run
//     it, record what came back. Reads of one turn run at the same time; a write runs
//     inside the transaction that records it; an act is recorded as begun first and
//     never repeated; an agent as a tool is a child run.
//   - Nothing is unanswered: rebuild the messages and ask the model.
//   - The model gave its answer: check it and finish.
//
// A bad call never ends a run: it goes back to the model as a failed return that
// says what to mend. A model that fails, is refused or stays wrong after one repair
// turn is replaced by the agent's reference policy for that turn, and the step says so.
//
// Two processes may advance the same run at once. Both may look; only one can
// record, because a step's place in its run is taken once.
package agent
