package io.uniserve.benchmark.placement;

import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.TextTable;
import io.uniserve.placement.simulate.TimeOrderedScenario;
import io.uniserve.placement.simulate.TimeOrderedSimulator;
import io.uniserve.placement.timeorder.ServerSelector;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Bench of EASY, Spread and BalanceNum in three scenarios, 30 days in steps of an hour: the busiest server's load relative to the mean. */
final class TimeOrderedBench {
    private static final int HOURS = 720;
    private static final double DAY = 24;

    private TimeOrderedBench() {}

    static void run(Console console, int seeds, ResultLine line) {
        Map<String, ServerSelector> choosers = new LinkedHashMap<>();
        choosers.put("easy", ServerSelector.easy());
        choosers.put("spread", ServerSelector.spread(DAY));
        choosers.put("balancenum", ServerSelector.balanceNum());
        TextTable table = new TextTable("scenario", "chooser", "busiest, mean", "busiest, p99");
        List<Map<String, Object>> results = new ArrayList<>();
        for (TimeOrderedScenario scenario : TimeOrderedScenario.values()) {
            String name = scenario.name().toLowerCase(Locale.ROOT).replace('_', ' ');
            choosers.forEach((chooser, how) -> {
                console.note("bench placement: " + name + ", " + chooser);
                double mean = 0;
                double p99 = 0;
                for (int seed = 1; seed <= seeds; seed++) {
                    TimeOrderedSimulator.Outcome outcome = new TimeOrderedSimulator(scenario, how, seed).run(HOURS);
                    mean += outcome.mean() / seeds;
                    p99 += outcome.p99() / seeds;
                }
                table.row(name, chooser, BenchOutput.decimal(mean, 3), BenchOutput.decimal(p99, 3));
                results.add(Map.of("scenario", name, "chooser", chooser, "mean", mean, "p99", p99));
            });
        }
        table.print(console);
        line.with("results", results);
    }
}
