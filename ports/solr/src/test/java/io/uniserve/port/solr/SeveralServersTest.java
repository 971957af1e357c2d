package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Engine;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineInstance;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.solr.core.SolrCore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several servers in one process, as in development mode, share one engine. */
class SeveralServersTest {
    @TempDir
    Path directory;

    @Test
    void whenOneServerStopsTheOthersStillPlanAndHoldActors() throws IOException {
        SolrEngine engine = new SolrEngine();
        EngineInstance first = open(engine, "first");
        EngineInstance second = open(engine, "second");
        new LocalTable(engine, first, directory.resolve("a"), 1);
        new LocalTable(engine, second, directory.resolve("b"), 1);
        first.close();
        assertThat(engine.planning().with(LocalTable.meta(1), SolrCore::isClosed))
                .isFalse();
        new LocalTable(engine, second, directory.resolve("c"), 1);
        second.close();
        assertThatThrownBy(() -> engine.planning().with(LocalTable.meta(1), SolrCore::isClosed))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    }

    private EngineInstance open(Engine engine, String name) throws IOException {
        return engine.open(new EngineContext(Files.createDirectories(directory.resolve(name)), Map.of()));
    }
}
