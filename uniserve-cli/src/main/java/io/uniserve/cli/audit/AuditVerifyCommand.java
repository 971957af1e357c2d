package io.uniserve.cli.audit;

import io.uniserve.cli.command.CliCommand;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.runtime.audit.AuditRecord;
import io.uniserve.runtime.audit.AuditReport;
import io.uniserve.runtime.audit.AuditReport.Fault;
import io.uniserve.runtime.audit.AuditVerifier;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code uniserve audit verify}. */
@Command(
        name = "verify",
        description = {
            "Verifies the audit log in a directory, or one file of it: the hash and number of each line, the chain of hashes,"
                    + " and the order of the files. Exit code 1 for a changed, missing, added or moved line or file.",
            "A torn last line is the trace of a crash, or a write under way: it is reported, and the exit code is 0.",
            "Missing lines at the end of the log, and a log that was rewritten as a whole, do not show: compare the printed"
                    + " last line with one that was stored elsewhere."
        },
        footer = {"  uniserve audit verify audit/server", "  uniserve audit verify audit/server -o json"})
final class AuditVerifyCommand extends CliCommand {
    @Parameters(paramLabel = "DIR", description = "Directory of the audit log, or one of its files.")
    private Path path = Path.of("");

    @Override
    public Integer call() {
        AuditReport report = AuditVerifier.verify(path);
        if (global().isJson()) {
            console().json(json(report));
        } else {
            print(report);
        }
        return report.isIntact() ? ExitCode.OK : ExitCode.NOT_PASSED;
    }

    private void print(AuditReport report) {
        String lines =
                report.files() + (report.files() == 1 ? " file, " : " files, ") + report.lines() + " valid lines";
        if (report.first().isPresent() && report.last().isPresent()) {
            AuditRecord first = report.first().get();
            AuditRecord last = report.last().get();
            console()
                    .println(lines + ", from line " + first.sequence() + " at " + first.time() + " to line "
                            + last.sequence() + " at " + last.time());
            console().println("last hash: " + last.hash());
        } else {
            console().println(lines);
        }
        report.fault()
                .ifPresent(fault -> console()
                        .println(word(fault) + ": " + fault.file() + " line " + fault.line() + ": " + fault.detail()));
        console().println(report.isIntact() ? "the audit log is intact" : "the audit log is NOT intact");
    }

    private static Map<String, @Nullable Object> json(AuditReport report) {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        object.put("intact", report.isIntact());
        object.put("files", report.files());
        object.put("lines", report.lines());
        object.put("first", position(report.first()));
        object.put("last", position(report.last()));
        object.put("fault", report.fault().map(AuditVerifyCommand::json).orElse(null));
        return object;
    }

    private static @Nullable Map<String, Object> position(Optional<AuditRecord> line) {
        if (line.isEmpty()) {
            return null;
        }
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("sequence", line.get().sequence());
        object.put("time", line.get().time().toString());
        object.put("hash", line.get().hash());
        return object;
    }

    private static Map<String, Object> json(Fault fault) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("kind", fault.kind().name().toLowerCase(Locale.ROOT));
        object.put("file", fault.file());
        object.put("line", fault.line());
        object.put("detail", fault.detail());
        return object;
    }

    private static String word(Fault fault) {
        return fault.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
