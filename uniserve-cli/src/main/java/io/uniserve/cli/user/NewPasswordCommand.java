package io.uniserve.cli.user;

import io.uniserve.cli.ClientCommand;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.access.UserCredential;
import io.uniserve.runtime.security.Passwords;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Command with a new password. */
abstract class NewPasswordCommand extends ClientCommand {
    @Option(
            names = "--new-password-file",
            paramLabel = "FILE",
            description = "File with the new password as its only line (default: ask for it twice).")
    private @Nullable Path newPasswordFile;

    @Option(
            names = "--iterations",
            paramLabel = "N",
            description = "Iterations that make guesses of the password slow (default: "
                    + Limits.PASSWORD_ITERATIONS_DEFAULT + ").")
    private int iterations = Limits.PASSWORD_ITERATIONS_DEFAULT;

    /** Checks the options, before the command connects. */
    final void checkIterations() {
        checkRange("--iterations", iterations, Limits.PASSWORD_ITERATIONS_MIN, Limits.PASSWORD_ITERATIONS_MAX);
    }

    /** Credential with the new password. Fails with INVALID_ARGUMENT if it is too short, or two inputs of it differ. */
    final UserCredential newCredential(String name) {
        char[] password = newPassword(name);
        try {
            return Passwords.newCredential(name, password, iterations);
        } finally {
            Arrays.fill(password, ' ');
        }
    }

    private char[] newPassword(String name) {
        if (newPasswordFile != null) {
            return Passwords.ofFile("--new-password-file", newPasswordFile);
        }
        char[] first = read("New password of user " + name);
        char[] second = read("The same again");
        if (!Arrays.equals(first, second)) {
            throw UniserveException.invalid("the two passwords differ: type them again");
        }
        Arrays.fill(second, ' ');
        return first;
    }

    private char[] read(String prompt) {
        return console()
                .readPassword(prompt)
                .orElseThrow(() ->
                        usageError("there is no terminal to ask for the password: give --new-password-file FILE"));
    }

    final void print(String name, String done) {
        if (global().isJson()) {
            console().json(Map.of("user", name, "done", done));
        } else {
            console().println(done + " user " + name);
        }
    }
}
