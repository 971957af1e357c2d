package io.uniserve.benchmark.storage;

import io.uniserve.benchmark.measure.ResultCollector;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Runner of the chosen parts on each kind of store. Not thread-safe. */
final class StorageBench {
    private final ResultCollector results;
    private final StorageBenchSettings settings;
    private final Path directory;

    StorageBench(ResultCollector results, StorageBenchSettings settings, Path directory) {
        this.results = results;
        this.settings = settings;
        this.directory = directory;
    }

    void run() {
        for (String name : settings.stores()) {
            Path folder = directory.resolve(name);
            if (name.equals(StorageBenchCommand.DIRECTORY)) {
                runParts(MeasuredStore.directory(folder.resolve("objects")), folder);
            } else if (settings.gateway().isPresent()) {
                runParts(
                        MeasuredStore.bucket(settings.gateway().get(), folder.resolve("gateway"), results.nanos()),
                        folder);
            } else {
                results.print(
                        "versitygw: skipped, it is not on the PATH nor in ~/go/bin: install it or use --versitygw");
            }
        }
    }

    private void runParts(MeasuredStore store, Path folder) {
        try (store) {
            if (!store.isCounted()) {
                results.print(
                        "%s: requests are not counted; idle, steady, failures and two-clusters need versitygw",
                        store.name());
            }
            if (hasAny(StorageBenchPart.BACKUP, StorageBenchPart.RESTORE)) {
                inCluster(
                        store,
                        folder,
                        BackupStorageScenario.PREFIX,
                        cluster -> new BackupStorageScenario(results, settings, store, cluster).run());
            }
            if (store.isCounted() && hasAny(StorageBenchPart.IDLE, StorageBenchPart.STEADY)) {
                inCluster(
                        store,
                        folder,
                        "steady",
                        cluster -> new SteadyStorageScenario(results, settings, store, cluster).run());
            }
            if (hasAny(StorageBenchPart.REMOTE)) {
                inCluster(
                        store,
                        folder,
                        "remote",
                        cluster -> new RemoteStorageScenario(results, settings, store, cluster).run());
            }
            if (store.isCounted() && hasAny(StorageBenchPart.FAILURES)) {
                inCluster(
                        store,
                        folder,
                        "failures",
                        cluster -> new FailingStoreScenario(results, settings, store, cluster).run());
            }
            if (store.isCounted() && hasAny(StorageBenchPart.TWO_CLUSTERS)) {
                new NeighbourClustersScenario(results, settings, store, folder).run();
            }
            if (hasAny(StorageBenchPart.REBIRTH)) {
                new RebirthScenario(results, settings, store, folder).run();
            }
        }
    }

    private boolean hasAny(StorageBenchPart... parts) {
        return Stream.of(parts).anyMatch(settings::has);
    }

    private void inCluster(MeasuredStore store, Path folder, String name, Consumer<StorageCluster> work) {
        results.note(store.name() + ": starting " + settings.servers() + " servers for " + name);
        try (StorageCluster cluster = new StorageCluster(
                folder.resolve(name), settings, settings.servers(), store.location(name), false, results.nanos())) {
            work.accept(cluster);
        }
    }
}
