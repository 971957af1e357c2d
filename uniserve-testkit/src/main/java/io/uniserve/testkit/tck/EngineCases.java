package io.uniserve.testkit.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorContext;
import io.uniserve.api.Engine;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineInstance;
import io.uniserve.codec.Bytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Cases of the life cycle of engines: several are open in one process, and each closes its own actors. */
interface EngineCases extends TckCases {
    /** Directory in which Linux lists the open files of this process. */
    Path FILES = Path.of("/proc/self/fd");

    Path MAPS = Path.of("/proc/self/maps");

    /** Opens another engine in this process. */
    default EngineInstance openEngine(Path scratch) {
        Engine engine = bench().fixture().engine();
        return engine.open(new EngineContext(scratch, bench().fixture().settings()));
    }

    /** A new actor of that engine with some rows. */
    default Actor createFilledActor(EngineInstance instance, Path scratch) {
        Actor actor =
                instance.actors().create(new ActorContext(bench().fixture().meta(), 0, scratch));
        bench().upsert(actor, bench().rows(0, 20));
        return actor;
    }

    @Test
    default void closingAnEngineClosesItsActors() {
        Assumptions.assumeTrue(Files.isDirectory(FILES), "this system does not list open files");
        Path scratch = bench().newDirectory();
        Path actors = bench().newDirectory();
        EngineInstance instance = openEngine(scratch);
        List<Actor> open = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            open.add(createFilledActor(instance, subdirectory(actors, "actor-" + i)));
        }
        open.get(1).close();
        instance.close();
        assertThat(openFiles(actors))
                .as("files of actors that are open after close()")
                .isEmpty();
        assertThat(openFiles(scratch))
                .as("files of the engine that are open after close()")
                .isEmpty();
        open.forEach(Actor::close);
    }

    @Test
    default void anEngineIsClosedTwice() {
        EngineInstance instance = openEngine(bench().newDirectory());
        createFilledActor(instance, bench().newDirectory());
        instance.close();
        instance.close();
    }

    @Test
    default void closingAnEngineLeavesOthersAlone() {
        Actor actor = bench().withRows(0, 20);
        List<Bytes> answers = bench().retrieveAll(actor);
        EngineInstance instance = openEngine(bench().newDirectory());
        createFilledActor(instance, bench().newDirectory());
        instance.close();
        assertThat(bench().retrieveAll(actor)).isEqualTo(answers);
        bench().upsert(actor, bench().rows(20, 30));
        assertThat(actor.usage().rows()).isEqualTo(30);
    }

    private static Path subdirectory(Path parent, String name) {
        try {
            return Files.createDirectories(parent.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> openFiles(Path below) {
        try (Stream<Path> all = Files.list(FILES);
                Stream<String> maps = Files.lines(MAPS)) {
            String root = below.toRealPath().toString();
            return Stream.concat(all.map(EngineCases::target), maps.map(line -> line.substring(line.indexOf('/') + 1)))
                    .filter(name -> name.contains(root.substring(1)))
                    .distinct()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The target of the link; empty if the file was closed meanwhile. */
    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return "";
        }
    }
}
