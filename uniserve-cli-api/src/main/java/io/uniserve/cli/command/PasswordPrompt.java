package io.uniserve.cli.command;

import java.util.Optional;

/** Prompt for passwords. A terminal does not show what is typed. */
@FunctionalInterface
public interface PasswordPrompt {
    /** Prompt where no terminal is: it has no password. */
    PasswordPrompt NONE = text -> Optional.empty();

    /**
     * Shows the text and a colon, and reads a line.
     *
     * @return the line, without its end; empty if there is no terminal, or its input has ended
     */
    Optional<char[]> ask(String text);

    /** Prompt on the terminal of this process; {@link #NONE} if standard input or standard output is not one. */
    static PasswordPrompt ofProcess() {
        java.io.Console terminal = System.console();
        return terminal == null ? NONE : text -> Optional.ofNullable(terminal.readPassword("%s: ", text));
    }
}
