package io.uniserve.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of a release: archive, Debian package, SBOM and checksums have what the manual promises, and the archive runs. */
class ReleaseFilesIT {
    private static final Path RELEASE = Path.of(System.getProperty("uniserve.release", "target/release"));
    private static final String VERSION = System.getProperty("uniserve.version", "");
    private static final Pattern COMPONENT =
            Pattern.compile("\"purl\" *: *\"pkg:maven/([^/\"]+)/([^@\"]+)@([^?\"]+)\\?([^\"]*)\"");
    private static final Pattern CLASSIFIER = Pattern.compile("classifier=([^&]+)");

    /** Optional libraries of the test kit, which tests of ports bring themselves. */
    private static final List<String> OPTIONAL = List.of("assertj-core-", "awaitility-", "byte-buddy-", "hamcrest-");

    @TempDir
    private static Path directory;

    private static Path home = Path.of("");

    private record Ended(int status, String output) {}

    private static Ended run(Path folder, String... command) throws IOException, InterruptedException {
        Path output = Files.createTempFile(directory, "output", "");
        int status = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start()
                .waitFor();
        return new Ended(status, Files.readString(output));
    }

    private static String output(Path folder, String... command) throws IOException, InterruptedException {
        Ended ended = run(folder, command);
        assertThat(ended.status())
                .as(String.join(" ", command) + ": " + ended.output())
                .isZero();
        return ended.output();
    }

    private static String only(String suffix) throws IOException {
        try (Stream<Path> files = Files.list(RELEASE)) {
            List<String> found = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(suffix))
                    .toList();
            assertThat(found).as("files ending in " + suffix).hasSize(1);
            return found.get(0);
        }
    }

    @BeforeAll
    static void unpack() throws IOException, InterruptedException {
        String archive = only(".tar.gz");
        assertThat(archive).isEqualTo("uniserve-" + VERSION + ".tar.gz");
        Path unpacked = Files.createDirectory(directory.resolve("unpacked"));
        output(
                unpacked,
                "tar",
                "-xzf",
                RELEASE.resolve(archive).toAbsolutePath().toString());
        try (Stream<Path> top = Files.list(unpacked)) {
            assertThat(top.map(path -> path.getFileName().toString())).containsExactly("uniserve-" + VERSION);
        }
        home = unpacked.resolve("uniserve-" + VERSION);
    }

    @Test
    void checksumsMatch() throws IOException, InterruptedException {
        List<String> lines = Files.readAllLines(RELEASE.resolve("SHA256SUMS"));
        assertThat(lines.stream().map(line -> line.substring(line.indexOf("  ") + 2)))
                .containsExactlyInAnyOrder(only(".tar.gz"), only(".deb"), only(".cdx.json"));
        output(RELEASE, "sha256sum", "-c", "SHA256SUMS");
    }

    @Test
    void theArchiveRuns() throws IOException, InterruptedException {
        assertThat(output(directory, home.resolve("uniserve").toString(), "--version"))
                .contains(VERSION);
        assertThat(home.resolve("scripts/rolling-restart")).isExecutable();
        assertThat(home.resolve("deploy/systemd/uniserve-server.service")).exists();
        assertThat(home.resolve("deploy/ec2/user-data.sh")).exists();
        assertThat(home.resolve("deploy/docker/Dockerfile")).exists();
        assertThat(home.resolve("LICENSE")).exists();
        assertThat(output(home, "find", ".", "-type", "f", "-perm", "/111"))
                .as("only programs are executable")
                .doesNotContain(".jar")
                .doesNotContain(".service");
    }

    @Test
    void theDebianPackageInstallsTheDistribution() throws IOException, InterruptedException {
        assumeThat(onPath("dpkg-deb")).as("no dpkg-deb").isTrue();
        Path deb = RELEASE.resolve(only(".deb")).toAbsolutePath();
        String version =
                output(directory, "dpkg-deb", "-f", deb.toString(), "Version").strip();
        assertThat(version).isEqualTo(VERSION.replace("-SNAPSHOT", "~snapshot"));
        assertThat(deb.getFileName()).hasToString("uniserve_" + version + "_all.deb");
        output(directory, "dpkg", "--validate-version", version);
        if (VERSION.endsWith("-SNAPSHOT")) {
            String release = VERSION.substring(0, VERSION.length() - "-SNAPSHOT".length());
            output(directory, "dpkg", "--compare-versions", version, "lt", release);
        }
        assertThat(output(directory, "dpkg-deb", "-f", deb.toString(), "Depends"))
                .contains("java17-runtime-headless");
        List<String> contents =
                output(directory, "dpkg-deb", "-c", deb.toString()).lines().toList();
        assertThat(contents)
                .allMatch(line -> line.contains(" root/root "), "owned by root")
                .anyMatch(line -> line.matches("-rwxr-xr-x .* \\./opt/uniserve/uniserve"))
                .anyMatch(line -> line.matches("-rwxr-xr-x .* \\./opt/uniserve/scripts/rolling-restart"))
                .anyMatch(line -> line.matches("-rw-r--r-- .* \\./lib/systemd/system/uniserve-server\\.service"))
                .anyMatch(line -> line.matches("-rw-r--r-- .* \\./lib/systemd/system/uniserve-coordinator\\.service"))
                .anyMatch(line -> line.matches("-rw-r--r-- .* \\./etc/uniserve/uniserve\\.conf"))
                .anyMatch(line -> line.matches("-rw------- .* \\./etc/uniserve/server\\.env"))
                .anyMatch(line -> line.matches("l.* \\./usr/bin/uniserve -> /opt/uniserve/uniserve"))
                .noneMatch(line -> line.contains("/var/lib/uniserve"));
        Set<String> jars = new TreeSet<>(contents.stream()
                .filter(line -> line.endsWith(".jar"))
                .map(line -> line.substring(line.indexOf("./opt/uniserve/") + "./opt/uniserve/".length()))
                .toList());
        assertThat(jars).isEqualTo(jars());
    }

    @Test
    void scriptsOfTheDebianPackageStartNothingAndKeepData() throws IOException, InterruptedException {
        assumeThat(onPath("dpkg-deb")).as("no dpkg-deb").isTrue();
        Path control = directory.resolve("control");
        output(
                directory,
                "dpkg-deb",
                "-e",
                RELEASE.resolve(only(".deb")).toAbsolutePath().toString(),
                control.toString());
        assertThat(Files.readAllLines(control.resolve("conffiles")))
                .containsExactlyInAnyOrder(
                        "/etc/uniserve/uniserve.conf", "/etc/uniserve/server.env", "/etc/uniserve/coordinator.env");
        for (String script : List.of("postinst", "prerm", "postrm")) {
            output(directory, "sh", "-n", control.resolve(script).toString());
            assertThat(control.resolve(script)).isExecutable();
            assertThat(Files.readString(control.resolve(script)))
                    .doesNotContain("systemctl start", "systemctl enable", "rm -", "userdel");
        }
        assertThat(Files.readString(control.resolve("prerm"))).contains("systemctl stop uniserve-server.service");
        assertThat(Files.readString(control.resolve("postinst"))).contains("useradd --system");
    }

    @Test
    void theSbomHasEveryJarAndNoOther() throws IOException {
        Set<String> named = new TreeSet<>();
        Matcher component = COMPONENT.matcher(Files.readString(RELEASE.resolve(only(".cdx.json"))));
        while (component.find()) {
            Matcher classifier = CLASSIFIER.matcher(component.group(4));
            if (component.group(4).contains("type=jar")) {
                named.add(component.group(2) + "-" + component.group(3)
                        + (classifier.find() ? "-" + classifier.group(1) : "") + ".jar");
            }
        }
        Set<String> shipped = new TreeSet<>();
        jars().forEach(jar -> shipped.add(jar.substring(jar.lastIndexOf('/') + 1)));
        assertThat(named).containsAll(shipped);
        named.removeAll(shipped);
        named.removeIf(jar -> OPTIONAL.stream().anyMatch(jar::startsWith));
        assertThat(named).as("libraries that the distribution does not have").isEmpty();
    }

    /** Returns the paths of all jars of the archive, below its folder. */
    private static Set<String> jars() throws IOException {
        try (Stream<Path> files = Files.walk(home)) {
            return new TreeSet<>(files.filter(file -> file.toString().endsWith(".jar"))
                    .map(file -> home.relativize(file).toString())
                    .toList());
        }
    }

    private static boolean onPath(String program) {
        List<String> folders = new ArrayList<>(
                Arrays.asList(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)));
        return folders.stream().anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }
}
