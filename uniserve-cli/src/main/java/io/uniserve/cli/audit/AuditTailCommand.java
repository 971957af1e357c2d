package io.uniserve.cli.audit;

import io.uniserve.cli.command.CliCommand;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.runtime.audit.AuditEvent;
import io.uniserve.runtime.audit.AuditEvent.Kind;
import io.uniserve.runtime.audit.AuditEvent.Outcome;
import io.uniserve.runtime.audit.AuditRecord;
import io.uniserve.runtime.audit.AuditTail;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code uniserve audit tail}. */
@Command(
        name = "tail",
        description = {
            "Shows the newest lines of the audit log in a directory: number, time, process, kind, outcome, principal, address,"
                    + " action, object, reason. An empty text is -; a text with blanks or special characters is in quotes.",
            "-o json prints an object per line. Lines that are not valid are reported on the error stream, with exit code 1:"
                    + " use audit verify."
        },
        footer = {
            "  uniserve audit tail audit/server",
            "  uniserve audit tail audit/server -n 100 --principal user/ann --action create_table",
            "  uniserve audit tail audit/server --refused --follow -o json"
        })
final class AuditTailCommand extends CliCommand {
    private static final int LINES_MAX = 100_000;
    private static final long FOLLOW_MS = 500;

    /** First character above the printable ones of ASCII. */
    private static final int DELETE = 0x7f;

    @Parameters(paramLabel = "DIR", description = "Directory of the audit log.")
    private Path directory = Path.of("");

    @Option(names = "-n", paramLabel = "N", description = "Number of lines (default: 10).")
    private int count = 10;

    @Option(names = "--principal", paramLabel = "NAME", description = "Only lines of this principal.")
    private @Nullable String principal;

    @Option(names = "--action", paramLabel = "ACTION", description = "Only lines of this action, e.g. create_table.")
    private @Nullable String action;

    @Option(names = "--refused", description = "Only refusals.")
    private boolean refused;

    @Option(names = "--follow", description = "Go on with new lines until Ctrl-C.")
    private boolean follow;

    @Override
    public Integer call() throws InterruptedException {
        checkRange("-n", count, 0, LINES_MAX);
        AtomicLong faults = new AtomicLong();
        AuditTail tail = new AuditTail(directory, this::isChosen, fault -> {
            faults.incrementAndGet();
            console().note("uniserve: " + fault);
        });
        print(tail.last(count));
        CountDownLatch never = new CountDownLatch(1);
        while (follow && !never.await(FOLLOW_MS, TimeUnit.MILLISECONDS)) {
            print(tail.poll());
        }
        return faults.get() == 0 ? ExitCode.OK : ExitCode.NOT_PASSED;
    }

    private boolean isChosen(AuditRecord line) {
        AuditEvent event = line.event();
        return (principal == null || principal.equals(event.principal()))
                && (action == null || action.equals(event.action()))
                && (!refused || event.kind() == Kind.REFUSAL || event.outcome() == Outcome.REFUSED);
    }

    private void print(List<AuditRecord> lines) {
        for (AuditRecord line : lines) {
            if (global().isJson()) {
                console().println(ascii(Console.toJson(json(line))));
            } else {
                console().println(text(line));
            }
        }
    }

    private static String text(AuditRecord line) {
        AuditEvent event = line.event();
        return String.join(
                " ",
                Long.toString(line.sequence()),
                line.time().toString(),
                word(line.process()),
                event.kind().name(),
                event.outcome().name(),
                word(event.principal()),
                word(event.address()),
                word(event.action()),
                word(event.object()),
                word(event.reason()));
    }

    /** The text as one word: other characters than those of plain words are in quotes, those that a terminal may obey as numbers. */
    static String word(String text) {
        if (text.isEmpty()) {
            return "-";
        }
        if (text.matches("[!#-~&&[^\\\\]]+") && !text.equals("-")) {
            return text;
        }
        StringBuilder quoted = new StringBuilder("\"");
        text.codePoints().forEach(c -> {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append((char) c);
            } else if (c >= ' ' && c < DELETE || Character.isLetterOrDigit(c)) {
                quoted.appendCodePoint(c);
            } else {
                quoted.append("\\u{%x}".formatted(c));
            }
        });
        return quoted.append('"').toString();
    }

    /** The JSON text with escapes in place of all characters that a terminal may obey. */
    private static String ascii(String json) {
        StringBuilder ascii = new StringBuilder(json.length());
        json.chars().forEach(c -> {
            if (c >= ' ' && c < DELETE) {
                ascii.append((char) c);
            } else {
                ascii.append("\\u%04X".formatted(c));
            }
        });
        return ascii.toString();
    }

    private static Map<String, Object> json(AuditRecord line) {
        AuditEvent event = line.event();
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("sequence", line.sequence());
        object.put("time", line.time().toString());
        object.put("process", line.process());
        object.put("kind", event.kind().name());
        object.put("principal", event.principal());
        object.put("address", event.address());
        object.put("action", event.action());
        object.put("object", event.object());
        object.put("outcome", event.outcome().name());
        object.put("reason", event.reason());
        object.put("previous", line.previous());
        object.put("hash", line.hash());
        return object;
    }
}
