package io.uniserve.cli.place;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.cli.command.OutputFileWriter;
import io.uniserve.cli.command.SolverJarLoader;
import io.uniserve.cli.command.TextTable;
import io.uniserve.limit.Limits;
import io.uniserve.placement.catalog.PolicyCatalog;
import io.uniserve.placement.check.PlacementChecker;
import io.uniserve.placement.check.PlacementProperties;
import io.uniserve.placement.constraint.Constraint;
import io.uniserve.placement.constraint.ConstraintCatalog;
import io.uniserve.placement.constraint.MovesLimitConstraint;
import io.uniserve.placement.live.LivePlan;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.policy.BalancePolicy;
import io.uniserve.placement.policy.SearchBudget;
import io.uniserve.placement.run.PlacementResult;
import io.uniserve.placement.run.PolicyRunner;
import io.uniserve.placement.text.AssignmentText;
import io.uniserve.placement.text.PlacementInstance;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code uniserve place}. */
@Command(
        name = "place",
        description = {
            "Computes placements of actors on servers: one per round, each starting from the one before, with"
                    + " an evaluation by an independent checker. Without --out it is a dry run: it prints the moves, and"
                    + " balance and contention before and after.",
            "With --live it plans for the running cluster, from the loads that 'status --load' shows, prints every"
                    + " change with its reason, and carries the plan out as 'move' and 'replicate' do. With --dry-run it"
                    + " only prints.",
            "A round without a solution is INFEASIBLE and keeps the old placement. One that misses a part of the"
                    + " goals is BEST_EFFORT. Both have reasons."
        },
        footer = {
            "  uniserve place --instance day.txt --policy parallelism --out day.out",
            "  uniserve place --instance day.txt --rf 2 --eps 0.1       a dry run with the default policy",
            "  uniserve place --live --dry-run",
            "  uniserve place --live --policy parallelism --moves 20"
        })
public final class PlaceCommand extends ClientCommand {
    @Mixin
    private PlaceOptions options = new PlaceOptions();

    @Mixin
    private LiveOptions liveOptions = new LiveOptions();

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Option(names = "--out", paramLabel = "FILE", description = "Write the placements here (default: a dry run).")
    private @Nullable Path out;

    private final StringBuilder text = new StringBuilder();
    private final List<Map<String, Object>> rounds = new ArrayList<>();
    private final TextTable table = new TextTable(
            "round",
            "status",
            "seconds",
            "max was",
            "max",
            "min was",
            "min",
            "contention was",
            "contention",
            "bound",
            "adds",
            "drops",
            "MiB moved",
            "replicas");

    @Override
    public Integer call() throws InterruptedException {
        String wrong = cluster.usageProblem();
        if (wrong != null) {
            throw usageError(wrong);
        }
        if (isGiven("--time-limit") && !(options.timeLimit > 0 && options.timeLimit <= 86_400)) {
            throw usageError("--time-limit is " + options.timeLimit + ": use more than 0, at most 86400");
        }
        if (isGiven("--moves")) {
            checkRange("--moves", options.moves, 0, Integer.MAX_VALUE);
        }
        checkRange("--actor-bytes", options.actorBytes, 0, Long.MAX_VALUE);
        if (!(options.grace > 0 && options.grace <= 86_400)) {
            throw usageError("--grace is " + options.grace + ": use more than 0, at most 86400");
        }
        return liveOptions.live ? placeLive() : placeFile();
    }

    private int placeFile() {
        Path file = options.instance;
        if (file == null) {
            throw usageError("Missing required option: '--instance=FILE', or --live for the running cluster");
        }
        for (String option : new String[] {"--dry-run", "--copies-max", "--timeout"}) {
            if (isGiven(option)) {
                throw usageError(option + " goes with --live: a file's placement is a dry run unless --out is given");
            }
        }
        PlacementInstance instance = PlacementFileReader.instance(file);
        SolverJarLoader.addToClassLoader();
        BalancePolicy policy = PolicyCatalog.byName(options.policy);
        solve(instance, policy);
        if (out != null) {
            OutputFileWriter.write(out, text);
        }
        if (global().isJson()) {
            console().json(rounds);
        } else {
            table.print(console());
        }
        return ExitCode.OK;
    }

    private int placeLive() throws InterruptedException {
        for (String option : new String[] {"--instance", "--out", "--rf", "--weights", "--zones", "--actor-bytes"}) {
            if (isGiven(option)) {
                throw usageError(option + " does not go with --live: the cluster has its own");
            }
        }
        checkRange("--copies-max", liveOptions.copiesMax, 0, Limits.REPLICATION_FACTOR_MAX);
        double tolerance = isGiven("--eps") ? cluster.eps : LivePlanSource.TOLERANCE;
        if (tolerance <= 0) {
            throw usageError("--eps is " + tolerance + ": use more than 0 with --live");
        }
        LivePlanSource source = new LivePlanSource(
                options.policy,
                tolerance,
                liveOptions.copiesMax,
                options.moves,
                options.seed,
                options.timeLimit,
                options.grace);
        try (ClusterClient client = connect()) {
            LiveView view = LiveView.of(client.status());
            view.requireChoice();
            LivePlan plan = source.plan(view, clock());
            new LivePlanPrinter(console(), view).print(options.policy, plan, global().isJson());
            if (!plan.isTaken()) {
                return ExitCode.NOT_PASSED;
            }
            return liveOptions.dryRun || plan.isEmpty() ? ExitCode.OK : carryOut(client, view, plan);
        }
    }

    private int carryOut(ClusterClient client, LiveView view, LivePlan plan) throws InterruptedException {
        LivePlanExecutor.Result result = new LivePlanExecutor(client, view, console(), liveOptions.timeout).run(plan);
        if (global().isJson()) {
            console().json(Map.of("done", result.done(), "refused", result.refused(), "left", result.left()));
        } else {
            console()
                    .println(
                            result.done() + " changes done, " + result.refused().size() + " refused");
            if (result.left() > 0) {
                console()
                        .println(result.left() + " changes of shares and automatic copies are left to the coordinator");
            }
        }
        return result.refused().isEmpty() ? ExitCode.OK : ExitCode.NOT_PASSED;
    }

    private void solve(PlacementInstance instance, BalancePolicy policy) {
        double seconds = isGiven("--time-limit") ? options.timeLimit : SearchBudget.secondsFor(instance.actors());
        List<Constraint> constraints = new ArrayList<>(ConstraintCatalog.standard());
        if (isGiven("--moves")) {
            constraints.add(new MovesLimitConstraint(options.moves));
        }
        PolicyRunner runner = new PolicyRunner(constraints, (long) ((seconds + options.grace) * 1_000));
        Assignment current = instance.initial();
        for (int round = 0; round < instance.rounds().size(); round++) {
            ClusterLoad in = cluster.at(instance, round, current);
            long start = clock().nanos();
            SearchBudget searchBudget =
                    new SearchBudget(options.seed, () -> clock().nanos() - start > seconds * 1e9, seconds);
            PlacementResult result = runner.run(policy, in, searchBudget);
            printRound(round, (clock().nanos() - start) / 1e9, PlacementChecker.check(in, current), result);
            current = result.assignment();
        }
    }

    private void printRound(int round, double seconds, PlacementProperties was, PlacementResult result) {
        String note = result.status() + (result.reasons().isEmpty() ? "" : " " + String.join("; ", result.reasons()));
        AssignmentText.write(text, round, seconds, note, result.assignment());
        PlacementProperties check = result.check();
        double bytes = (double) check.adds() * options.actorBytes;
        table.row(
                round,
                result.status(),
                decimal(seconds, 2),
                decimal(was.largestLoad(), 3),
                decimal(check.largestLoad(), 3),
                decimal(was.leastLoad(), 3),
                decimal(check.leastLoad(), 3),
                decimal(was.contention(), 4),
                decimal(check.contention(), 4),
                decimal(check.bound(), 4),
                check.adds(),
                check.drops(),
                decimal(bytes / 1_048_576, 0),
                check.replicas());
        result.reasons().forEach(reason -> console().note("round " + round + ": " + reason));
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("round", round);
        fields.put("status", result.status().name());
        fields.put("reasons", result.reasons());
        fields.put("seconds", seconds);
        fields.put("max", check.largestLoad());
        fields.put("min", check.leastLoad());
        fields.put("contention", check.contention());
        fields.put("bound", check.bound());
        fields.put("maxBefore", was.largestLoad());
        fields.put("minBefore", was.leastLoad());
        fields.put("contentionBefore", was.contention());
        fields.put("bytesMoved", bytes);
        fields.put("adds", check.adds());
        fields.put("drops", check.drops());
        fields.put("replicas", check.replicas());
        rounds.add(fields);
    }

    private static String decimal(double value, int digits) {
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }
}
