package io.uniserve.cli.storage;

import io.uniserve.cli.command.CliCommand;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.cli.command.TextTable;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.store.DurableStoreFactory;
import io.uniserve.runtime.store.StoreReport;
import io.uniserve.runtime.store.StoreReport.Check;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code uniserve storage analyse}. */
@Command(
        name = "analyse",
        description = {
            "Examines a store of objects before it is trusted with data, and names what it lacks.",
            "It writes small objects below LOCATION, three of them of 10 MiB, and deletes them again. Credentials come from"
                    + " the AWS SDK's chain: environment, profile, or role of the machine. Exit code 1 if Uniserve cannot use"
                    + " the store."
        },
        footer = {
            "  uniserve storage analyse 's3://backups/search?region=eu-central-1'",
            "  uniserve storage analyse 's3://backups/search?endpoint=http://127.0.0.1:7070&path-style=true'"
        })
final class StorageAnalyseCommand extends CliCommand {
    @Parameters(
            paramLabel = "LOCATION",
            description = "As in setting storage.location: s3://BUCKET/PREFIX, with ?region=, endpoint=, path-style=,"
                    + " kms-key= or part-mib=.")
    private String location = "";

    @Override
    public Integer call() {
        if (DurableStoreFactory.isDirectory(location)) {
            throw new UniserveException(
                    ErrorCode.UNSUPPORTED,
                    "\"" + location + "\" is a directory: only stores such as s3:// are examined");
        }
        StoreReport report = DurableStoreFactory.provider(location).analyse(location);
        if (global().isJson()) {
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("location", report.location());
            object.put("usable", report.isUsable());
            object.put("checks", report.checks());
            console().json(object);
        } else {
            print(report);
        }
        return report.isUsable() ? ExitCode.OK : ExitCode.NOT_PASSED;
    }

    private void print(StoreReport report) {
        TextTable table = new TextTable("CHECK", "RESULT", "SEEN");
        for (Check check : report.checks()) {
            table.row(check.name(), check.verdict().name().toLowerCase(Locale.ROOT), check.text());
        }
        table.print(console());
        console().println(report.location() + (report.isUsable() ? " can be used" : " CANNOT be used"));
    }
}
