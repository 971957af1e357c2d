package io.uniserve.cli.place;

import io.uniserve.cli.command.CliCommand;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.placement.explain.Explainer;
import io.uniserve.placement.explain.Explanation;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.text.PlacementInstance;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code uniserve explain}. */
@Command(
        name = "explain",
        description = {
            "Explains the place of an actor and its alternatives, from a problem and a placement that 'place'"
                    + " saved.",
            "Give the --eps, --rf, --weights and --zones that the placement was made with."
        },
        footer = "  uniserve explain --instance day.txt --placement day.out --round 3 --actor 17")
public final class ExplainCommand extends CliCommand {
    @Option(names = "--instance", required = true, paramLabel = "FILE", description = "The problem.")
    private Path instance = Path.of("");

    @Option(names = "--placement", required = true, paramLabel = "FILE", description = "The output of 'place' for it.")
    private Path placement = Path.of("");

    @Option(names = "--round", paramLabel = "T", description = "The round (default: 0).")
    private int round;

    @Option(names = "--actor", required = true, paramLabel = "I", description = "The actor.")
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
        PlacementInstance problem = PlacementFileReader.instance(instance);
        List<Assignment> placed = PlacementFileReader.assignments(placement, problem);
        int rounds = Math.min(placed.size(), problem.rounds().size());
        if (rounds == 0) {
            throw usageError("--placement has no round: write it with 'uniserve place --out'");
        }
        checkRange("--round", round, 0, rounds - 1);
        checkRange("--actor", actor, 0, problem.actors() - 1);
        checkRange("--others", others, 0, Integer.MAX_VALUE);
        Assignment before = round == 0 ? problem.initial() : placed.get(round - 1);
        Explainer explainer = new Explainer(cluster.at(problem, round, before), placed.get(round));
        print(explainer.explain(actor));
        return ExitCode.OK;
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
