package io.uniserve.cli.security;

import io.uniserve.cli.command.CliCommand;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.transport.check.AccessMatrix.Cell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Command;

/** {@code uniserve security check}. */
@Command(
        name = "check",
        description = {
            "Sends each request of this build to its method and to each HTTP route, as each kind of caller. Compares each decision"
                    + " with the declared one. It starts a server of its own on loopback, with certificates of its own.",
            "Callers: none, plain text, expired, other authority, other cluster, zookeeper, revoked user and server, no rule, monitor,"
                    + " reader, writer, operator, admin, password, wrong password and server. The last line is JSON. Exit code 1: a"
                    + " request was treated otherwise."
        },
        footer = "  uniserve security check")
final class SecurityCheckCommand extends CliCommand {
    @Override
    public Integer call() {
        Path folder = temporary();
        try {
            SecurityCheckCallers callers = SecurityCheckCallers.create(folder);
            List<Cell> cells = callers.matrix().run(callers.callers());
            List<Cell> wrong = cells.stream().filter(cell -> !cell.isRight()).toList();
            wrong.forEach(cell -> console()
                    .println("WRONG " + cell.method() + " by " + cell.caller().name() + ": "
                            + (cell.permitted() ? "permitted" : "refused")));
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("methods", callers.matrix().methods());
            object.put("identities", callers.callers().size());
            object.put("cells", cells.size());
            object.put("wrong", wrong.size());
            object.put("missing", List.copyOf(callers.matrix().missing()));
            console().json(object);
            return wrong.isEmpty() && callers.matrix().missing().isEmpty() ? ExitCode.OK : ExitCode.NOT_PASSED;
        } finally {
            delete(folder);
        }
    }

    private static Path temporary() {
        try {
            return Files.createTempDirectory("uniserve-check");
        } catch (IOException e) {
            throw new UniserveException(
                    ErrorCode.IO, "no folder for certificates can be made: check java.io.tmpdir", e);
        }
    }

    private void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            console().err().println("folder " + folder + " cannot be deleted: " + e.getMessage());
        }
    }
}
