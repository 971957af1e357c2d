package io.uniserve.cli.place;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.ServerNames;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.cli.command.TextTable;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.time.RowTime;
import io.uniserve.placement.ChunkPolicy.AgeModel;
import io.uniserve.placement.ChunkPolicy.Decision;
import io.uniserve.placement.ChunkPolicy.ServerCost;
import io.uniserve.protocol.message.AdminReply.ChunkExplanation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code uniserve explain-chunk}. */
@Command(
        name = "explain-chunk",
        description = {
            "Explains the placement of a chunk of a table partitioned by time, existing or new. Nothing changes.",
            "Prints the cost of every server. Column CHOSEN has the buckets of the chunk that the server would get now,"
                    + " PRESENT those of which it has an in-sync replica.",
            "Policy easy also prints its model: at age x in hours a query takes a x^alpha ms of CPU per scanned row,"
                    + " and b + c x^beta rows are scanned per row and second.",
            "The setting coordinator.placement.chunks names the policy: easy, spread or balance-num."
        },
        footer = {
            "  uniserve explain-chunk events 2024-05-01",
            "  uniserve explain-chunk events 2024-05-01T10:00:00Z --json"
        })
public final class ExplainChunkCommand extends ClientCommand {
    @Parameters(index = "0", paramLabel = "TABLE", description = "The table's name.")
    private String name = "";

    @Parameters(
            index = "1",
            paramLabel = "CHUNK",
            description = "The start of the chunk or any time in it: an ISO date, which is midnight in UTC, or a date"
                    + " and time with offset.")
    private String chunk = "";

    @Option(names = "--json", description = "Print JSON, as -o json does.")
    private boolean json;

    @Override
    public Integer call() {
        TableName table = new TableName(name);
        long millis = millis();
        try (ClusterClient cluster = connect()) {
            ChunkExplanation told = cluster.explainChunk(table, millis);
            if (json || global().isJson()) {
                console().json(json(told));
            } else {
                print(told);
            }
        }
        return ExitCode.OK;
    }

    private long millis() {
        try {
            return RowTime.parse("CHUNK", chunk);
        } catch (UniserveException e) {
            throw usageError("CHUNK is " + chunk + ": use an ISO date, or a date and time with offset, such as"
                    + " 2024-05-01 or 2024-05-01T10:00:00Z");
        }
    }

    private void print(ChunkExplanation told) {
        Decision decision = told.decision();
        console()
                .println("chunk:     %s, actors from %d on, %s"
                        .formatted(
                                told.start(), told.firstActor(), told.present().isEmpty() ? "absent" : "present"));
        console().println("policy:    " + told.policy());
        decision.model().ifPresent(model -> {
            console().println("model:     " + text(model));
            console().println("predicted: %.4g ms of CPU per actor of the chunk".formatted(decision.predicted()));
        });
        TextTable rows = new TextTable("SERVER", "COST (" + decision.unit() + ")", "CHOSEN", "PRESENT");
        for (ServerCost cost : decision.costs()) {
            rows.row(
                    ServerNames.shortName(cost.server()),
                    "%.4g".formatted(cost.cost()),
                    buckets(decision.places(), cost.server()),
                    buckets(told.present(), cost.server()));
        }
        rows.print(console());
    }

    private static String text(AgeModel model) {
        String error = Double.isNaN(model.error()) ? "-" : "%.1f %%".formatted(100 * model.error());
        return "a %.4g, alpha %.4g, b %.4g, c %.4g, beta %.4g; error %s, from %s: %d actors of %d ages"
                .formatted(
                        model.a(),
                        model.alpha(),
                        model.b(),
                        model.c(),
                        model.beta(),
                        error,
                        model.source(),
                        model.observations(),
                        model.ages());
    }

    /** Numbers of the buckets with a replica on the server. */
    private static String buckets(List<List<ServerId>> places, ServerId server) {
        StringBuilder text = new StringBuilder();
        for (int bucket = 0; bucket < places.size(); bucket++) {
            if (places.get(bucket).contains(server)) {
                text.append(text.length() == 0 ? "" : ",").append(bucket);
            }
        }
        return text.length() == 0 ? "-" : text.toString();
    }

    private static Map<String, @Nullable Object> json(ChunkExplanation told) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("start", told.start());
        fields.put("firstActor", told.firstActor());
        fields.put("policy", told.policy());
        fields.put("unit", told.decision().unit());
        Map<String, Double> costs = new LinkedHashMap<>();
        told.decision().costs().forEach(cost -> costs.put(cost.server().value(), cost.cost()));
        fields.put("costs", costs);
        fields.put("chosen", names(told.decision().places()));
        fields.put("present", names(told.present()));
        fields.put("predicted", told.decision().predicted());
        fields.put(
                "model", told.decision().model().map(ExplainChunkCommand::json).orElse(null));
        return fields;
    }

    private static Map<String, @Nullable Object> json(AgeModel model) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("a", model.a());
        fields.put("alpha", model.alpha());
        fields.put("b", model.b());
        fields.put("c", model.c());
        fields.put("beta", model.beta());
        fields.put("error", Double.isNaN(model.error()) ? null : model.error());
        fields.put("observations", model.observations());
        fields.put("ages", model.ages());
        fields.put("source", model.source());
        return fields;
    }

    private static List<List<String>> names(List<List<ServerId>> places) {
        return places.stream()
                .map(servers -> servers.stream().map(ServerId::value).toList())
                .toList();
    }
}
