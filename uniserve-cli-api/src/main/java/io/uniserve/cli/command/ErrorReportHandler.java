package io.uniserve.cli.command;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.FailureCauseGrouper;
import io.uniserve.error.UniserveException;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Handler that turns failures into an exit code and a line {@code uniserve: CODE: message} on the error stream, plus one line per distinct
 * cause of the attempts.
 */
final class ErrorReportHandler implements IParameterExceptionHandler, IExecutionExceptionHandler {
    private static final Logger LOG = LoggerFactory.getLogger(ErrorReportHandler.class);
    private static final int SUGGESTIONS_MAX = 3;

    private final Console console;

    ErrorReportHandler(Console console) {
        this.console = console;
    }

    @Override
    public int handleParseException(ParameterException e, String[] args) {
        String command = e.getCommandLine().getCommandSpec().qualifiedName(" ");
        printFailure("USAGE", e.getMessage() + suggestion(e) + " (see '" + command + " --help')");
        return ExitCode.USAGE;
    }

    private static String suggestion(ParameterException e) {
        if (!(e instanceof UnmatchedArgumentException unmatched)) {
            return "";
        }
        var words = unmatched.getSuggestions().stream().limit(SUGGESTIONS_MAX).toList();
        return words.isEmpty() ? "" : "; did you mean " + String.join(" or ", words) + "?";
    }

    @Override
    public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
        if (e instanceof ParameterException usage) {
            return handleParseException(usage, new String[0]);
        }
        RootCommand root = (RootCommand) command.getCommandSpec().root().userObject();
        return report(e, root.options().verbose());
    }

    int report(Throwable failure, boolean verbose) {
        Throwable cause = unwrap(failure);
        if (verbose) {
            LOG.error("The command failed", failure);
        }
        if (cause instanceof UniserveException known) {
            printFailure(known.code().name(), known.reason());
            attemptLines(known).forEach(line -> console.note("  tried: " + line));
            return ExitCode.of(known.code());
        }
        String remedy = verbose ? "" : "; use -v for the stack trace";
        printFailure(ErrorCode.INTERNAL.name(), cause + remedy);
        return ExitCode.FAULT;
    }

    /** Returns the distinct causes of the attempts. A refusal is the same on every server, so it has none. */
    private static List<String> attemptLines(UniserveException failure) {
        return ExitCode.of(failure.code()) == ExitCode.REFUSED ? List.of() : FailureCauseGrouper.of(failure.tried());
    }

    private static Throwable unwrap(Throwable failure) {
        Throwable cause = failure.getCause();
        boolean wrapper = failure instanceof CompletionException || failure instanceof ExecutionException;
        return wrapper && cause != null ? unwrap(cause) : failure;
    }

    private void printFailure(String code, String message) {
        console.failure(code, message);
    }
}
