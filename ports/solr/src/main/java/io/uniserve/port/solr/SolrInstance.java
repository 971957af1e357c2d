package io.uniserve.port.solr;

import io.uniserve.api.ActorContext;
import io.uniserve.api.ActorFactory;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.update.UpdateFunction;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.solr.common.params.CoreAdminParams;
import org.apache.solr.core.CoreContainer;
import org.apache.solr.core.CoreDescriptor;
import org.apache.solr.core.MetricsConfig;
import org.apache.solr.core.NodeConfig;
import org.apache.solr.core.PluginInfo;
import org.apache.solr.core.SolrCore;
import org.apache.solr.core.SolrPaths;
import org.apache.solr.logging.LogWatcherConfig;

/** The one core container of a process: a core an actor, and an empty core a configset, on which queries are planned. */
final class SolrInstance implements EngineInstance, ActorFactory<SolrActor> {
    private static final int LOG_WATCHER_OFF = 1;

    private final CoreContainer container;
    private final Map<Configset, SolrCore> planning = new EnumMap<>(Configset.class);
    private final Set<SolrActor> actors = ConcurrentHashMap.newKeySet();
    private final AtomicLong names = new AtomicLong();
    private final AtomicBoolean closed = new AtomicBoolean();

    private SolrInstance(CoreContainer container) {
        this.container = container;
    }

    static SolrInstance open(Path scratch) {
        // Solr's second HTTP API wants a servlet container, which is not there.
        System.setProperty("disable.v2.api", "true");
        System.setProperty("solr.install.dir", scratch.toString());
        Path home = scratch.toAbsolutePath();
        Configset.writeAll(home.resolve("configsets"));
        return SolrFailure.translated("start Solr in " + home, () -> {
            CoreContainer container = new CoreContainer(config(home));
            SolrInstance instance = new SolrInstance(container);
            try {
                container.load();
                for (Configset configset : Configset.values()) {
                    instance.planning.put(configset, instance.core(configset, home.resolve("plan-" + configset.id())));
                }
                return instance;
            } catch (RuntimeException e) {
                container.shutdown();
                throw e;
            }
        });
    }

    private static NodeConfig config(Path home) {
        return new NodeConfig.NodeConfigBuilder("uniserve", home)
                .setConfigSetBaseDirectory(home.resolve("configsets").toString())
                .setCoreRootDirectory(home.resolve("configsets").toString())
                .setAllowPaths(Set.of(SolrPaths.ALL_PATH))
                .setUseSchemaCache(true)
                .setShardHandlerFactoryConfig(new PluginInfo(
                        "shardHandlerFactory", Map.of("class", ActorShards.Factory.class.getName()), null, List.of()))
                .setMetricsConfig(new MetricsConfig.MetricsConfigBuilder()
                        .setEnabled(false)
                        .build())
                .setLogWatcherConfig(new LogWatcherConfig(false, null, null, LOG_WATCHER_OFF))
                .build();
    }

    /** A new core; opens the index in {@code directory/data/index} or makes an empty one. */
    private SolrCore core(Configset configset, Path directory) {
        Map<String, String> properties = Map.of(
                CoreDescriptor.CORE_CONFIGSET, configset.id(),
                CoreDescriptor.CORE_DATADIR, directory.resolve("data").toString(),
                CoreAdminParams.NAME, directory.getFileName().toString());
        return container.create("core-" + names.incrementAndGet(), directory, properties, false);
    }

    /** The empty core on which queries over tables of this configset are planned. */
    SolrCore planning(Configset configset) {
        SolrCore core = planning.get(configset);
        if (core == null) {
            throw new IllegalStateException("no planning core for " + configset);
        }
        return core;
    }

    @Override
    public SolrActor create(ActorContext context) {
        Path scratch = context.scratch().toAbsolutePath();
        Configset configset = Configset.of(context.meta());
        SolrCore core = SolrFailure.translated("create a core", () -> core(configset, scratch));
        SolrActor actor = new SolrActor(core, scratch, actors::remove);
        actors.add(actor);
        return actor;
    }

    @Override
    public SolrActor restore(ActorContext context, Path directory) {
        IndexFiles.restore(
                directory, context.scratch().toAbsolutePath().resolve("data").resolve("index"));
        return create(context);
    }

    @Override
    public ActorFactory<SolrActor> actors() {
        return this;
    }

    @Override
    public List<Operator<?, ?>> operators() {
        return SolrEngine.OPERATORS;
    }

    @Override
    public List<UpdateFunction<?, ?>> updates() {
        return SolrEngine.UPDATES;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            List.copyOf(actors).forEach(SolrActor::close);
            container.shutdown();
        }
    }
}
