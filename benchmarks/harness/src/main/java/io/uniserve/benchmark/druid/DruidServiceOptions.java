package io.uniserve.benchmark.druid;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** JVM options of native Druid's services: what Java 17 needs, and Druid's own properties. */
final class DruidServiceOptions {
    /** Options of every JVM with Druid. */
    static final List<String> JVM = List.of(
            "-Duser.timezone=UTC",
            "-XX:MaxDirectMemorySize=1g",
            "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
            "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.io=ALL-UNNAMED",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/jdk.internal.ref=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED");

    private static final String BUFFER = "32MiB";
    private static final int MERGE_BUFFERS = 10;
    private static final int HTTP_THREADS = 24;
    private static final int BROKER_CONNECTIONS = 20;

    private DruidServiceOptions() {}

    static List<String> common(Path directory, String zooKeeper, String metadata, int derbyPort) {
        return options(
                "druid.host=127.0.0.1",
                "druid.zk.service.host=" + zooKeeper,
                "druid.zk.paths.base=/druid",
                "druid.extensions.loadList=[]",
                "druid.extensions.directory=" + directory.resolve("extensions"),
                "druid.metadata.storage.type=derby",
                "druid.metadata.storage.connector.connectURI=" + metadata,
                "druid.metadata.storage.connector.host=127.0.0.1",
                "druid.metadata.storage.connector.port=" + derbyPort,
                "druid.storage.type=local",
                "druid.storage.storageDirectory=" + directory.resolve("deep"),
                "druid.emitter=noop",
                "druid.startup.logging.logProperties=false",
                "druid.serverview.type=http",
                "druid.coordinator.loadqueuepeon.type=http",
                "druid.indexer.logs.type=file",
                "druid.indexer.logs.directory=" + directory.resolve("indexing-logs"),
                "druid.selectors.indexing.serviceName=druid/overlord",
                "druid.selectors.coordinator.serviceName=druid/coordinator");
    }

    /** Short periods, so that the coordinator is not what a measurement waits for. The defaults are a minute. */
    static List<String> coordinator() {
        return options(
                "druid.service=druid/coordinator",
                "druid.coordinator.asOverlord.enabled=true",
                "druid.coordinator.asOverlord.overlordService=druid/overlord",
                "druid.coordinator.startDelay=PT1S",
                "druid.coordinator.period=PT1S",
                "druid.manager.segments.pollDuration=PT0.5S",
                "druid.manager.rules.pollDuration=PT1S",
                "druid.indexer.storage.type=metadata",
                "druid.indexer.runner.type=local");
    }

    static List<String> historical(Path cache, int threads) {
        List<String> options = processing("druid/historical", threads);
        options.addAll(options(
                "druid.segmentCache.locations=[{\"path\":\"" + cache + "\",\"maxSize\":\"50g\"}]",
                "druid.segmentCache.numLoadingThreads=2",
                "druid.server.maxSize=50g",
                "druid.historical.cache.useCache=false",
                "druid.historical.cache.populateCache=false"));
        return options;
    }

    static List<String> broker(int threads) {
        List<String> options = processing("druid/broker", threads);
        options.addAll(options(
                "druid.broker.cache.useCache=false",
                "druid.broker.cache.populateCache=false",
                "druid.broker.cache.useResultLevelCache=false",
                "druid.broker.cache.populateResultLevelCache=false",
                "druid.broker.http.numConnections=" + BROKER_CONNECTIONS));
        return options;
    }

    private static List<String> processing(String service, int threads) {
        return new ArrayList<>(options(
                "druid.service=" + service,
                "druid.processing.numThreads=" + threads,
                "druid.processing.numMergeBuffers=" + MERGE_BUFFERS,
                "druid.processing.buffer.sizeBytes=" + BUFFER,
                "druid.server.http.numThreads=" + HTTP_THREADS));
    }

    private static List<String> options(String... properties) {
        return List.of(properties).stream().map(property -> "-D" + property).toList();
    }
}
