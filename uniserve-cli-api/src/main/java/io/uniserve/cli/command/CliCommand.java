package io.uniserve.cli.command;

import io.uniserve.protocol.env.Clock;
import io.uniserve.runtime.time.SystemClock;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Base class of subcommands: a public class with picocli annotations and a constructor without arguments. A line in {@code
 * META-INF/services/io.uniserve.cli.command.CliCommand} adds it to {@code uniserve}; {@link RootCommand#order()} defines its place in the help.
 */
public abstract class CliCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    /** Runs the command and returns one of {@link ExitCode}. An exception becomes one line on the error stream and an exit code. */
    @Override
    public abstract Integer call() throws Exception;

    /** Returns the streams that the command reads and writes. */
    protected final Console console() {
        return root().console();
    }

    /** Returns the options that every command has. */
    protected final GlobalOptions global() {
        return root().options();
    }

    /** Returns the process's monotonic clock. */
    protected final Clock clock() {
        return SystemClock.INSTANCE;
    }

    /** Returns the arguments after {@code uniserve}, as given. */
    protected final List<String> arguments() {
        return List.copyOf(spec.root().commandLine().getParseResult().originalArgs());
    }

    /** Reports a failure that does not end the command. Returns the exit code of such a failure. */
    protected final int report(Throwable failure) {
        return new ErrorReportHandler(console()).report(failure, global().verbose());
    }

    /** Returns an error of the command line, with exit code {@link ExitCode#USAGE}. */
    protected final ParameterException usageError(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** Throws an error of the command line if the option's value is out of range. */
    protected final void checkRange(String option, long value, long min, long max) {
        if (value < min || value > max) {
            throw usageError(option + " is " + value + ": use " + min + " to " + max);
        }
    }

    /** True when the option, e.g. {@code --actors}, was given on the command line. */
    protected final boolean isGiven(String option) {
        return spec.commandLine().getParseResult().hasMatchedOption(option);
    }

    /**
     * The value of an option that was renamed. The deprecated name works for one release, with a warning.
     *
     * @param value the value of {@code option}, which may be its default
     * @param old the value of {@code deprecated}; null if it is not on the command line
     */
    protected final String renamed(String option, String value, String deprecated, @Nullable String old) {
        String given = renamedOrNull(option, value, deprecated, old);
        return given == null ? value : given;
    }

    /** The same for an option without a default; null if neither name is on the command line. */
    protected final @Nullable String renamedOrNull(
            String option, @Nullable String value, String deprecated, @Nullable String old) {
        if (old == null) {
            return value;
        }
        if (isGiven(option)) {
            throw usageError(deprecated + " is the deprecated name of " + option + ": use " + option + " alone");
        }
        console().note("warning: " + deprecated + " is deprecated here: use " + option);
        return old;
    }

    /** Returns the root command of this process. */
    protected final RootCommand root() {
        return (RootCommand) spec.root().userObject();
    }
}
