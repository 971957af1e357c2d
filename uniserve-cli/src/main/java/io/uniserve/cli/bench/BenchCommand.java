package io.uniserve.cli.bench;

import io.uniserve.cli.CommandGroup;
import io.uniserve.cli.bench.failures.FailuresCommand;
import io.uniserve.cli.bench.text.TextCommand;
import io.uniserve.cli.bench.tpch.TpchCommand;
import io.uniserve.cli.place.PlacementBenchCommand;
import picocli.CommandLine.Command;

/** {@code uniserve bench}. */
@Command(
        name = "bench",
        description = "Benchmarks; each prints a ratio to a peer or floor measured in the same run.",
        subcommands = {
            OverheadCommand.class,
            TextCommand.class,
            TpchCommand.class,
            BareServerCommand.class,
            PlacementBenchCommand.class,
            StatisticsCommand.class,
            UpdatesCommand.class,
            MovesCommand.class,
            ShuffleCommand.class,
            FairnessCommand.class,
            FailuresCommand.class
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  uniserve bench overhead --raw overhead.tsv",
            "  uniserve bench text --peer solrcloud --raw text.tsv",
            "  uniserve bench tpch --sf 1 --peer spark --raw tpch.tsv",
            "  uniserve bench updates",
            "  uniserve bench moves",
            "  uniserve bench shuffle",
            "  uniserve bench fairness",
            "  uniserve bench failures"
        })
public final class BenchCommand extends CommandGroup {}
