package io.uniserve.benchmark;

import io.uniserve.benchmark.druid.DruidCommand;
import io.uniserve.benchmark.failures.FailuresCommand;
import io.uniserve.benchmark.fairness.FairnessCommand;
import io.uniserve.benchmark.floor.BareServerCommand;
import io.uniserve.benchmark.hotspot.HotspotCommand;
import io.uniserve.benchmark.moves.MovesCommand;
import io.uniserve.benchmark.overhead.OverheadCommand;
import io.uniserve.benchmark.overhead.StatisticsCommand;
import io.uniserve.benchmark.placement.PlacementBenchCommand;
import io.uniserve.benchmark.scaling.ScalingCommand;
import io.uniserve.benchmark.servers.ServersCommand;
import io.uniserve.benchmark.shardsets.ShardSetsCommand;
import io.uniserve.benchmark.shuffle.ShuffleCommand;
import io.uniserve.benchmark.storage.StorageBenchCommand;
import io.uniserve.benchmark.text.TextCommand;
import io.uniserve.benchmark.tpch.TpchCommand;
import io.uniserve.benchmark.updates.UpdatesCommand;
import io.uniserve.benchmark.upgrade.UpgradeCommand;
import io.uniserve.benchmark.ycsb.YcsbCommand;
import io.uniserve.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** {@code uniserve bench}. */
@Command(
        name = "bench",
        description = "Benchmarks; each prints a ratio to a peer or floor measured in the same run.",
        subcommands = {
            OverheadCommand.class,
            TextCommand.class,
            TpchCommand.class,
            DruidCommand.class,
            BareServerCommand.class,
            PlacementBenchCommand.class,
            StatisticsCommand.class,
            UpdatesCommand.class,
            MovesCommand.class,
            ScalingCommand.class,
            ShuffleCommand.class,
            FairnessCommand.class,
            FailuresCommand.class,
            YcsbCommand.class,
            HotspotCommand.class,
            ShardSetsCommand.class,
            ServersCommand.class,
            StorageBenchCommand.class,
            UpgradeCommand.class
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  uniserve bench overhead --raw overhead.tsv",
            "  uniserve bench text --peer solrcloud --raw text.tsv",
            "  uniserve bench tpch --sf 1 --peer spark --raw tpch.tsv",
            "  uniserve bench druid --peer druid --raw druid.tsv",
            "  uniserve bench updates",
            "  uniserve bench moves",
            "  uniserve bench shuffle",
            "  uniserve bench fairness",
            "  uniserve bench failures",
            "  uniserve bench ycsb",
            "  uniserve bench hotspot",
            "  uniserve bench shardsets",
            "  uniserve bench servers",
            "  uniserve bench storage",
            "  uniserve bench upgrade --old /opt/uniserve-0.1.0"
        })
public final class BenchCommand extends CommandGroup {}
