package io.uniserve.cli;

import io.uniserve.protocol.env.Clock;
import io.uniserve.runtime.time.SystemClock;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * A subcommand: a public class with picocli annotations and a constructor without arguments. One line in {@code
 * META-INF/services/io.uniserve.cli.CliCommand} makes it part of {@code uniserve}, in the order of that file.
 */
public abstract class CliCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    /** Does the work; returns one of {@link ExitCode}. An exception becomes one line on the error stream and an exit code. */
    @Override
    public abstract Integer call() throws Exception;

    /** Where to read and write. */
    protected final Console console() {
        return root().console();
    }

    /** The options that every command has. */
    protected final GlobalOptions global() {
        return root().options();
    }

    /** The process's monotonic clock. */
    protected final Clock clock() {
        return SystemClock.INSTANCE;
    }

    /** The words after {@code uniserve}, as given. */
    protected final List<String> arguments() {
        return List.copyOf(spec.root().commandLine().getParseResult().originalArgs());
    }

    /** Tells a failure that does not end the command; returns the exit code that it would end with. */
    protected final int report(Throwable failure) {
        return new ErrorReport(console()).report(failure, root().verbose());
    }

    /** An error of the command line: exit code {@link ExitCode#USAGE}. */
    protected final ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** An error of the command line where the option's value is out of range. */
    protected final void range(String option, long value, long min, long max) {
        if (value < min || value > max) {
            throw usage(option + " is " + value + ": use " + min + " to " + max);
        }
    }

    /** True when the option, e.g. {@code --actors}, was given on the command line. */
    protected final boolean given(String option) {
        return spec.commandLine().getParseResult().hasMatchedOption(option);
    }

    /**
     * The value of an option that was renamed. The deprecated name works for one release, with a warning.
     *
     * @param value the value of {@code option}, which may be its default
     * @param old the value of {@code deprecated}, or null where it is not on the command line
     */
    protected final <T extends @Nullable Object> T renamed(String option, T value, String deprecated, @Nullable T old) {
        if (old == null) {
            return value;
        }
        if (given(option)) {
            throw usage(deprecated + " is the deprecated name of " + option + ": use " + option + " alone");
        }
        console().note("warning: " + deprecated + " is deprecated here: use " + option);
        return old;
    }

    final Uniserve root() {
        return (Uniserve) spec.root().userObject();
    }
}
