package io.uniserve.simulator;

import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineInstance;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.port.kv.KvEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runner of seeds, one after the other in the calling thread. It prints nothing. */
public final class Simulation {
    private final SimulationOptions options;

    public Simulation(SimulationOptions options) {
        this.options = options;
    }

    /** Runs the seeds from the first to the last, both inclusive. */
    public SimulationReport run(long seedFrom, long seedTo) {
        return run(seedFrom, seedTo, report -> {});
    }

    /** The same, with a listener to the report of every seed. */
    public SimulationReport run(long seedFrom, long seedTo, Consumer<SeedReport> progress) {
        if (seedTo < seedFrom) {
            throw UniserveException.invalid("seeds " + seedFrom + ".." + seedTo + ": the last is before the first");
        }
        Path scratch = makeScratch();
        List<SeedReport> reports = new ArrayList<>();
        try (EngineInstance engine = new KvEngine().open(new EngineContext(scratch, Map.of()))) {
            for (long seed = seedFrom; seed <= seedTo; seed++) {
                SeedReport report = new SeedRun(seed, options, engine, scratch).run();
                reports.add(report);
                progress.accept(report);
            }
        } finally {
            deleteScratch(scratch);
        }
        return SimulationReport.of(seedFrom, seedTo, reports);
    }

    /** Runs one cluster for this many hours under light faults, see {@link LightFaultReport}. */
    public LightFaultReport runLightFaults(long seed, double hours) {
        return runLightFaults(seed, hours, null);
    }

    /**
     * The same, with a check of the heap.
     *
     * @param heap bytes of the heap in use after a collection; null for no check
     */
    public LightFaultReport runLightFaults(long seed, double hours, @Nullable LongSupplier heap) {
        Path scratch = makeScratch();
        try (EngineInstance engine = new KvEngine().open(new EngineContext(scratch, Map.of()))) {
            return new LightFaultRun(seed, options, engine, scratch, heap).run(hours);
        } finally {
            deleteScratch(scratch);
        }
    }

    private static Path makeScratch() {
        try {
            return Files.createTempDirectory("uniserve-simulation");
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot make a temporary directory; check java.io.tmpdir", e);
        }
    }

    private static void deleteScratch(Path scratch) {
        try (Stream<Path> paths = Files.walk(scratch)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot delete " + scratch, e);
        }
    }
}
