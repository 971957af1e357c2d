package io.uniserve.checks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.uniserve.runtime.config.ListenerKind;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.config.ZooKeeperSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The templates of {@code deploy/}: settings that the processes accept, and the rights that the code needs, no more. */
class DeployTemplatesTest {
    private static final Path DEPLOY = ProjectTree.root().resolve("deploy");
    private static final String CHART = DEPLOY.resolve("helm/uniserve").toString();
    private static final Pattern CALL = Pattern.compile("\\bclient\\s*\\.([a-z][A-Za-z]+)\\(");
    /** Rights that calls of the SDK need. */
    private static final Map<String, String> RIGHTS = Map.ofEntries(
            Map.entry("putObject", "s3:PutObject"),
            Map.entry("createMultipartUpload", "s3:PutObject"),
            Map.entry("uploadPart", "s3:PutObject"),
            Map.entry("completeMultipartUpload", "s3:PutObject"),
            Map.entry("abortMultipartUpload", "s3:AbortMultipartUpload"),
            Map.entry("getObject", "s3:GetObject"),
            Map.entry("getObjectAsBytes", "s3:GetObject"),
            Map.entry("headObject", "s3:GetObject"),
            Map.entry("deleteObject", "s3:DeleteObject"),
            Map.entry("listObjectsV2", "s3:ListBucket"),
            Map.entry("getBucketVersioning", "s3:GetBucketVersioning"),
            Map.entry("runInstances", "ec2:RunInstances"),
            Map.entry("startInstances", "ec2:StartInstances"),
            Map.entry("terminateInstances", "ec2:TerminateInstances"),
            Map.entry("describeInstances", "ec2:DescribeInstances"),
            Map.entry("describeInstancesPaginator", "ec2:DescribeInstances"),
            Map.entry("close", ""));

    private static final Pattern ACTION = Pattern.compile("\"((?:s3|ec2|iam):[A-Z][A-Za-z]+)\"");

    @TempDir
    Path directory;

    private Settings load(String text) throws IOException {
        Path file = Files.createTempFile(directory, "uniserve", ".conf");
        Files.writeString(file, text);
        return Settings.load(Optional.of(file), Map.of(), Map.of());
    }

    /**
     * Settings of a process that listens beyond loopback, in mode closed, with an audit log on the volume of data and an identity for
     * ZooKeeper.
     *
     * @param own folder of certificate and key, which the process renews
     * @param given folder of the authorities and of ZooKeeper's password
     */
    private static void assertClosed(Settings settings, String own, String given) {
        for (ListenerKind kind : ListenerKind.values()) {
            assertThat(settings.host(kind)).isEqualTo("0.0.0.0");
            assertThat(settings.security(kind).closed()).isTrue();
            assertThat(settings.audit(kind).directory().orElseThrow().getParent())
                    .isEqualTo(Path.of("/var/lib/uniserve/audit"));
        }
        assertThat(settings.tls().certificate()).contains(Path.of(own, "certificate.pem"));
        assertThat(settings.tls().key()).contains(Path.of(own, "key.pem"));
        assertThat(settings.tls().trust()).contains(Path.of(given, "trust.pem"));
        assertThat(settings.zookeeper().access().scheme()).isEqualTo(ZooKeeperSettings.Scheme.DIGEST);
        assertThat(settings.zookeeper().access().migration()).isFalse();
        assertThat(settings.zookeeper().access().passwordFile()).contains(Path.of(given, "zookeeper-password"));
    }

    private static void assertClosed(Settings settings, String folder) {
        assertClosed(settings, folder, folder);
    }

    private static String text(String file) throws IOException {
        return Files.readString(DEPLOY.resolve(file));
    }

    private String run(String... command) throws IOException, InterruptedException {
        Path output = Files.createTempFile(directory, "output", "");
        int status = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start()
                .waitFor();
        String text = Files.readString(output);
        assertThat(status).as(text).isZero();
        return text;
    }

    private static boolean isOnThePath(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder).resolve(program)));
    }

    private static TreeSet<String> actions(String text) {
        TreeSet<String> actions = new TreeSet<>();
        Matcher matcher = ACTION.matcher(text);
        while (matcher.find()) {
            actions.add(matcher.group(1));
        }
        return actions;
    }

    @Test
    void theImageHasAcceptedSettings() throws IOException {
        Settings settings = load(text("docker/uniserve.conf"));
        assertThat(settings.server().engines()).contains("kv", "lucene", "duckdb");
        assertThat(settings.server().portsDirectory()).isEqualTo(Path.of("/opt/uniserve/ports"));
        assertThat(settings.coordinator().port()).isEqualTo(7070);
        assertThat(settings.zookeeper().connect()).isEqualTo("zookeeper:2281");
        assertThat(settings.zookeeper().tls().enabled()).isTrue();
        assertThat(settings.zookeeper().embedded().port()).isEqualTo(2281);
        assertThat(settings.zookeeper().embedded().tls().enabled()).isTrue();
        assertClosed(settings, "/etc/uniserve/identity");
    }

    @Test
    void settingsOfSystemdAndOfThePackageAreClosed() throws IOException {
        assertClosed(load(text("systemd/uniserve.conf")), "/etc/uniserve/identity");
        Path ofThePackage = ProjectTree.root().resolve("build/release/src/deb/etc/uniserve.conf");
        assertClosed(load(Files.readString(ofThePackage)), "/etc/uniserve/identity");
    }

    @Test
    void noFileIsOpen() throws IOException {
        Pattern open = Pattern.compile("security\\s*(?:\\.|\\{[^}]*)\\s*mode\\s*[=:]\\s*\"?open|security\\.mode=open");
        try (Stream<Path> files = Files.walk(DEPLOY)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertThat(open.matcher(Files.readString(file)).find())
                        .as("%s is open", file)
                        .isFalse();
            }
        }
    }

    @Test
    void noFileHasAPassword() throws IOException {
        Pattern password = Pattern.compile("(?i)password\\s*[=:]\\s*\"?[a-z0-9]");
        try (Stream<Path> files = Files.walk(DEPLOY)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertThat(password.matcher(Files.readString(file)).find())
                        .as("a password in %s", file)
                        .isFalse();
            }
        }
    }

    @Test
    void processesOfContainersWriteTheirIdentityAndTheirAuditLog() throws IOException {
        String compose = text("docker/compose.yaml");
        for (String name : List.of("coordinator-1", "coordinator-2", "server-1", "server-2", "server-3")) {
            Matcher volumes = Pattern.compile("\\n  " + name + ":\\n(?:    .*\\n)*?    volumes: (.*)")
                    .matcher(compose);
            assertThat(volumes.find()).isTrue();
            assertThat(volumes.group(1))
                    .contains("\"" + name + ":/var/lib/uniserve\"")
                    .doesNotContain("read_only");
            assertThat(volumes.group(1).contains("*authority"))
                    .as("%s sees the authority", name)
                    .isEqualTo(name.startsWith("coordinator"));
        }
        assertThat(compose.substring(compose.indexOf("x-identity:"), compose.indexOf("x-authority:")))
                .doesNotContain("read_only");
        assertThat(compose)
                .contains("target: /etc/uniserve/authority\n  read_only: true")
                .contains("security.renewal.authority=/etc/uniserve/authority");
        assertThat(compose)
                .as("engines load native libraries from /tmp, and Docker's default is noexec")
                .contains("tmpfs: [\"/tmp:exec\"]");
        // Scripts of a release have no execute permission.
        assertThat(compose).contains("entrypoint: [\"bash\", \"/opt/uniserve/deploy/docker/identities.sh\"]");
    }

    @Test
    void eachContainerHasAnIdentityOfItsOwn() throws IOException {
        String compose = text("docker/compose.yaml");
        Matcher made = Pattern.compile("command: \\[((?:\"[a-z0-9:-]+\"(?:, )?)+)\\]\\n    volumes: \\[\"authority")
                .matcher(compose);
        assertThat(made.find()).isTrue();
        TreeSet<String> names = new TreeSet<>();
        for (String name : made.group(1).replace("\"", "").split(", ")) {
            names.add(name.replaceFirst("^(user|zookeeper):", ""));
        }
        List<String> mounted = new ArrayList<>();
        Matcher container = Pattern.compile("\\n  ([a-z0-9-]+):\\n(?:    .*\\n)*?    volumes: .*subpath: ([a-z0-9-]+)")
                .matcher(compose);
        while (container.find()) {
            assertThat(container.group(2)).isEqualTo(container.group(1));
            mounted.add(container.group(1));
        }
        assertThat(mounted).containsExactlyInAnyOrderElementsOf(names);
        assertThat(names).contains("client", "coordinator-1", "server-1", "zookeeper");
    }

    @Test
    void terraformGivesAcceptedSettings() throws IOException {
        Matcher scaling = Pattern.compile("scaling = <<-EOT\\n(.*?)\\n *EOT", Pattern.DOTALL)
                .matcher(text("terraform/instances.tf"));
        assertThat(scaling.find()).isTrue();
        String filled = scaling.group(1)
                .replace("${aws_launch_template.server.id}", "lt-0a1b2c3d")
                .replace("${aws_launch_template.server.latest_version}", "3")
                .replace("${var.servers_min}", "3")
                .replace("${var.servers_max}", "6")
                .replace("${data.aws_region.current.name}", "eu-central-1")
                .replace("${jsonencode(var.subnet_ids)}", "[\"subnet-0a\", \"subnet-0b\"]")
                .replace("${jsonencode(var.server_instance_types)}", "[\"m7i.large\"]")
                .replace("${var.spot}", "false");
        assertThat(filled).doesNotContain("${");
        Settings settings = load("uniserve {\n" + filled + "\n}\n");
        assertThat(settings.coordinator().scaling().provider()).isEqualTo("ec2");
    }

    @Test
    void theRolesHaveTheRightsThatTheCodeNeeds() throws IOException {
        TreeSet<String> needed = new TreeSet<>();
        try (Stream<Path> files = Files.walk(ProjectTree.root().resolve("uniserve-aws/src/main/java"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String code = Files.readString(file);
                needed.addAll(actions(code));
                Matcher call = CALL.matcher(code);
                while (call.find()) {
                    assertThat(RIGHTS)
                            .as("a right of %s, in %s", call.group(1), file)
                            .containsKey(call.group(1));
                    needed.add(RIGHTS.get(call.group(1)));
                }
            }
        }
        needed.remove("");
        // EC2 asks for these two when a template with a role and tags is launched.
        needed.addAll(List.of("iam:PassRole", "ec2:CreateTags"));
        TreeSet<String> given = actions(text("terraform/iam.tf"));
        given.remove("ec2:LaunchTemplate"); // keys of conditions
        given.remove("ec2:CreateAction");
        given.remove("ec2:InstanceProfile");
        given.remove("iam:PassedToService");
        assertThat(given).containsExactlyElementsOf(needed);
        String roles = text("terraform/iam.tf");
        assertThat(roles).doesNotContain("s3:*", "ec2:*");
        String coordinator = roles.substring(roles.indexOf("aws_iam_role_policy\" \"coordinator"));
        assertThat(actions(coordinator)).noneMatch(action -> action.startsWith("s3:"));
        assertThat(roles.split("local.read_identity,", -1))
                .as("the roles of servers and coordinators read the identity")
                .hasSize(3);
        assertThat(roles.split("local\\.read_zookeeper_identity", -1))
                .as("ZooKeeper's role reads its own")
                .hasSize(2);
        assertThat(coordinator).contains("local.read_authority");
        assertThat(roles.split("local\\.read_authority", -1))
                .as("only coordinators read the authority")
                .hasSize(2);
    }

    @Test
    void theGroupOpensThePortsOfTheProcesses() throws IOException {
        Settings settings = load("uniserve {}");
        String network = text("terraform/network.tf").replaceAll(" +", " ");
        int coordinator = settings.coordinator().port();
        int server = settings.server().port();
        assertThat(network)
                .contains(
                        "coordinator = [" + coordinator + ", " + coordinator + "]",
                        "server = [" + server + ", " + server + "]",
                        "zookeeper = [2281, 2281]",
                        "from_port = " + coordinator + "\n to_port = " + server);
    }

    @Test
    void variablesOfUserDataAreThoseOfTheScripts() throws IOException {
        Matcher exported = Pattern.compile("\"export ([A-Z_0-9]+)=").matcher(text("terraform/instances.tf"));
        List<String> names = new ArrayList<>();
        String scripts = text("ec2/user-data.sh") + text("ec2/zookeeper-user-data.sh");
        while (exported.find()) {
            names.add(exported.group(1));
            assertThat(scripts).contains("\n" + exported.group(1) + "=\"${" + exported.group(1) + ":-");
        }
        assertThat(names)
                .contains("RELEASE_SHA256", "ZOOKEEPER", "CLUSTER", "STORE", "ROLE", "SETTINGS", "ID", "MEMBERS")
                .contains("IDENTITY", "AUTHORITY");
    }

    @Test
    void terraformFilesAreFormatted() throws IOException, InterruptedException {
        assumeThat(isOnThePath("terraform")).as("no terraform on the PATH").isTrue();
        run(
                "terraform",
                "fmt",
                "-check",
                "-recursive",
                DEPLOY.resolve("terraform").toString());
    }

    /** What Helm renders with the required values and these. */
    private String rendered(String... values) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("helm", "template", "trial", CHART));
        for (String value : List.of("zookeeper.connect=zk-0.zk:2281", "identities.secretName=trial-identity")) {
            words.addAll(List.of("--set", value));
        }
        for (String value : values) {
            words.addAll(List.of("--set", value));
        }
        return run(words.toArray(String[]::new));
    }

    private Settings chartSettings(String rendered) throws IOException {
        Matcher conf =
                Pattern.compile("  uniserve.conf: \\|\\n((?:    .*\\n)+)").matcher(rendered);
        assertThat(conf.find()).as(rendered).isTrue();
        return load(conf.group(1));
    }

    @Test
    void theChartRendersAcceptedSettings() throws IOException, InterruptedException {
        assumeThat(isOnThePath("helm")).as("no helm on the PATH").isTrue();
        run(
                "helm",
                "lint",
                "--strict",
                CHART,
                "--set",
                "zookeeper.connect=zk:2281",
                "--set",
                "identities.secretName=trial");
        String plain = rendered();
        Settings defaults = chartSettings(plain);
        assertThat(defaults.renewal().authority()).isEmpty();
        assertThat(defaults.zookeeper().tls().trust())
                .as("ZooKeeper's authority is that of the cluster")
                .contains(Path.of("/etc/uniserve-identity/trust.pem"));
        assertThat(plain).doesNotContain("/etc/uniserve-authority", "/etc/uniserve-zookeeper");
        assertThat(plain)
                .contains(
                        "server.advertised-host=$(POD_NAME).trial-uniserve-server.$(POD_NAMESPACE).svc",
                        "coordinator.advertised-host=$(POD_NAME).trial-uniserve-coordinator.$(POD_NAMESPACE).svc");
        assertThat(chartSettings(rendered("zookeeper.tls.enabled=false"))
                        .zookeeper()
                        .tls()
                        .enabled())
                .isFalse();

        Settings settings = chartSettings(rendered(
                "identities.authoritySecretName=trial-authority",
                "zookeeper.tls.secretName=trial-zookeeper",
                "settings=server.log-shipping = 2s\ncoordinator.scaling.servers-max = 4",
                "storage.location=s3://backups/search"));
        assertThat(settings.zookeeper().connect()).isEqualTo("zk-0.zk:2281");
        assertThat(settings.zookeeper().tls().enabled()).isTrue();
        assertThat(settings.zookeeper().tls().key()).contains(Path.of("/etc/uniserve-zookeeper/key.pem"));
        assertThat(settings.server().storageLocation()).contains("s3://backups/search");
        assertThat(settings.renewal().authority()).contains(Path.of("/etc/uniserve-authority"));
        assertClosed(settings, "/var/lib/uniserve/identity", "/etc/uniserve-identity");
    }

    @Test
    void thePodsOfTheChartMountTheirSecrets() throws IOException, InterruptedException {
        assumeThat(isOnThePath("helm")).as("no helm on the PATH").isTrue();
        String rendered =
                rendered("identities.authoritySecretName=trial-authority", "zookeeper.tls.secretName=trial-zookeeper");
        Map<String, Integer> pods = Map.of(
                "secret: { secretName: trial-identity, defaultMode: 0400 }",
                2,
                "secret: { secretName: trial-zookeeper, defaultMode: 0400 }",
                2,
                "secret: { secretName: trial-authority, defaultMode: 0400 }",
                1,
                "volumeClaimTemplates:",
                2,
                "command: [bash, /opt/uniserve/deploy/docker/first-identity.sh, /etc/uniserve-identity,"
                        + " /var/lib/uniserve/identity]",
                2);
        pods.forEach((text, number) -> assertThat(rendered.split(Pattern.quote(text), -1))
                .as("pods with %s", text)
                .hasSize(number + 1));
        int server = rendered.indexOf("serviceName: trial-uniserve-server\n");
        int coordinator = rendered.indexOf("serviceName: trial-uniserve-coordinator\n");
        assertThat(coordinator).isPositive().isLessThan(server);
        assertThat(rendered.substring(coordinator, server)).contains("/etc/uniserve-authority, readOnly: true");
        assertThat(rendered.substring(server))
                .as("servers do not see the authority")
                .doesNotContain("trial-authority", "/etc/uniserve-authority");
    }
}
