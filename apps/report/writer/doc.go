// Package writer is the agent that writes one section of a report: its prompt, its
// tools, the checks its drafts are held to, and the reference policy that can play its
// part with the narrator. A draft is kept only if every numeral in it resolves, every
// scenario is named and every chart is used or its omission said; one that is not comes
// back to whoever wrote it with every reason, and after two of those the policy writes.
//
// The agent works at a [Desk], which reads its report from a [Place]: the app's tables
// in the product, files on the command line, the demo in an evaluation. The package
// stores nothing itself and never makes a section final.
package writer
