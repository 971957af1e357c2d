package io.uniserve.runtime.port;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Builds of a port differ by the contents of its jars, and by nothing else. */
class PortBuildIdTest {
    @TempDir
    Path directory;

    private URL jar(String name, long time, String... entries) throws IOException {
        Path file = directory.resolve(name);
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(file))) {
            for (String entry : entries) {
                ZipEntry header = new ZipEntry(entry.split("=", -1)[0]);
                header.setTime(time);
                out.putNextEntry(header);
                out.write(entry.split("=", -1)[1].getBytes(StandardCharsets.UTF_8));
                out.closeEntry();
            }
        }
        return file.toUri().toURL();
    }

    @Test
    void theSameContentsAreTheSameBuild() throws IOException {
        URL one =
                jar("one.jar", 1_000_000_000L, "META-INF/MANIFEST.MF=built at noon", "a/A.class=aaa", "a/B.class=bbb");
        URL again = jar("two.jar", 9_000_000_000L, "a/B.class=bbb", "a/A.class=aaa", "META-INF/MANIFEST.MF=at night");
        URL other = jar("other.jar", 1_000_000_000L, "a/A.class=aaa", "a/B.class=bbc");
        URL longer = jar("longer.jar", 1_000_000_000L, "a/A.class=aaa", "a/B.class=bbb", "a/C.class=");
        String build = PortBuildId.of(List.of(one));
        assertThat(build).matches("[0-9a-f]{8}");
        assertThat(PortBuildId.of(List.of(again))).isEqualTo(build);
        assertThat(PortBuildId.of(List.of(other))).isNotEqualTo(build);
        assertThat(PortBuildId.of(List.of(longer))).isNotEqualTo(build);
        assertThat(PortBuildId.of(List.of(one, other))).isNotEqualTo(build);
    }

    @Test
    void anOperatorIsOfItsBuildOrOfAny() {
        assertThat(PortBuildId.qualify("x@1", "")).isEqualTo("x@1");
        String named = PortBuildId.qualify("x@1", "12ab");
        assertThat(PortBuildId.withoutBuild(named)).isEqualTo("x@1");
        assertThat(PortBuildId.withoutBuild("x@1")).isEqualTo("x@1");
        assertThat(PortBuildId.matches(named, "12ab")).isTrue();
        assertThat(PortBuildId.matches(named, "12ac")).isFalse();
        assertThat(PortBuildId.matches(named, "")).isFalse();
        assertThat(PortBuildId.matches("x@1", "12ab")).isTrue();
        assertThat(PortBuildId.missingOperatorMessage(named)).contains("\"x@1\"", "12ab", "install the same on all");
        assertThat(PortBuildId.missingOperatorMessage("x@1"))
                .contains("\"x@1\"")
                .doesNotContain("build");
    }
}
