import { Component, type ReactNode } from "react";
import { ErrorBox } from "./states";

/** Catches what a page throws, so that the rest of the console stays. */
export class Boundary extends Component<{ children: ReactNode }, { error: unknown; path: string }> {
  state = { error: undefined as unknown, path: location.pathname };

  static getDerivedStateFromError(error: unknown) {
    return { error, path: location.pathname };
  }

  componentDidUpdate() {
    if (this.state.error !== undefined && this.state.path !== location.pathname) this.setState({ error: undefined, path: location.pathname });
  }

  render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <div className="page">
        <ErrorBox error={this.state.error} retry={() => this.setState({ error: undefined })}>
          <p>This page could not be shown. Try again, or load it anew if the product was updated meanwhile.</p>
        </ErrorBox>
      </div>
    );
  }
}
