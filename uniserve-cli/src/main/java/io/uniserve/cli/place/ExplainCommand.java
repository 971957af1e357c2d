package io.uniserve.cli.place;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.model.TableName;
import io.uniserve.placement.catalog.PolicyCatalog;
import io.uniserve.placement.explain.Explainer;
import io.uniserve.placement.explain.Explanation;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.text.PlacementInstance;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code uniserve explain}. */
@Command(
        name = "explain",
        description = {
            "Explains the places of an actor and its alternatives. Nothing changes.",
            "With TABLE and ACTOR it explains the running cluster: load, servers, constraints, and what the policy would"
                    + " change. Otherwise it explains a placement that 'place' saved, for its problem.",
            "Give the --eps, --rf, --weights and --zones that the placement was made with."
        },
        footer = {
            "  uniserve explain speeches 3",
            "  uniserve explain speeches 3 --policy parallelism -o json",
            "  uniserve explain --instance day.txt --placement day.out --round 3 --actor 17"
        })
public final class ExplainCommand extends ClientCommand {
    @Parameters(index = "0", arity = "0..1", paramLabel = "TABLE", description = "A table of the running cluster.")
    private @Nullable String name;

    @Parameters(index = "1", arity = "0..1", paramLabel = "ACTOR", description = "The actor's number, from 0 on.")
    private @Nullable Integer number;

    @Option(
            names = "--policy",
            paramLabel = "NAME",
            description = "With TABLE: the policy, as for 'place --live' (default: greedy).")
    private String policy = PolicyCatalog.DEFAULT;

    @Option(names = "--instance", paramLabel = "FILE", description = "The problem.")
    private @Nullable Path instance;

    @Option(names = "--placement", paramLabel = "FILE", description = "The output of 'place' for it.")
    private @Nullable Path placement;

    @Option(names = "--round", paramLabel = "T", description = "The round (default: 0).")
    private int round;

    @Option(names = "--actor", paramLabel = "I", description = "The actor.")
    private int actor;

    @Option(names = "--others", paramLabel = "N", description = "Number of alternatives, the best first (default: 5).")
    private int others = 5;

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Override
    public Integer call() {
        String wrong = cluster.usageProblem();
        if (wrong != null) {
            throw usageError(wrong);
        }
        checkRange("--others", others, 0, Integer.MAX_VALUE);
        if (name == null) {
            explainFile();
        } else {
            explainLive(name);
        }
        return ExitCode.OK;
    }

    private void explainFile() {
        Path problemFile = instance;
        Path placementFile = placement;
        if (problemFile == null || placementFile == null || !isGiven("--actor") || isGiven("--policy")) {
            throw usageError("Missing: give TABLE and ACTOR, or --instance, --placement and --actor without --policy");
        }
        PlacementInstance problem = PlacementFileReader.instance(problemFile);
        List<Assignment> placed = PlacementFileReader.assignments(placementFile, problem);
        int rounds = Math.min(placed.size(), problem.rounds().size());
        if (rounds == 0) {
            throw usageError("--placement has no round: write it with 'uniserve place --out'");
        }
        checkRange("--round", round, 0, rounds - 1);
        checkRange("--actor", actor, 0, problem.actors() - 1);
        Assignment before = round == 0 ? problem.initial() : placed.get(round - 1);
        Explainer explainer = new Explainer(cluster.at(problem, round, before), placed.get(round));
        print(explainer.explain(actor));
    }

    private void explainLive(String table) {
        Integer chosen = number;
        if (chosen == null) {
            throw usageError("Missing: ACTOR, the number of the actor of table " + table);
        }
        for (String option :
                new String[] {"--instance", "--placement", "--round", "--actor", "--rf", "--weights", "--zones"}) {
            if (isGiven(option)) {
                throw usageError(option + " does not go with TABLE: the cluster has its own");
            }
        }
        LivePlanSource source = LivePlanSource.of(policy, isGiven("--eps") ? cluster.eps : LivePlanSource.TOLERANCE);
        try (ClusterClient client = connect()) {
            LiveView view = LiveView.of(client.status());
            new LiveExplanationPrinter(console(), view, others)
                    .print(new TableName(table), chosen, source, clock(), global().isJson());
        }
    }

    private void print(Explanation why) {
        List<String> best = why.others().stream().limit(others).toList();
        if (global().isJson()) {
            console().json(Map.of("actor", why.actor(), "facts", why.facts(), "hosts", why.hosts(), "others", best));
            return;
        }
        console().println("actor " + why.actor());
        why.facts().forEach(fact -> console().println("  " + fact));
        console().println("it is on");
        why.hosts().forEach(host -> console().println("  " + host));
        console().println("it could also be on");
        best.forEach(other -> console().println("  " + other));
    }
}
