package io.uniserve.runtime.proto;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DescriptorProtos.DescriptorProto.ReservedRange;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto.EnumReservedRange;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Messages of this version and of the last release understand each other. {@code wire/released-fields.txt} has every field, enum constant and
 * method of the last release. None may change its number or type, and a removed one is reserved. An added one has a row in
 * docs/manual/upgrade.md, which says what an older reader does with it.
 */
class WireCompatibilityTest {
    private static final Path ROOT =
            Path.of(System.getProperty("uniserve.root", "..")).toAbsolutePath().normalize();
    private static final List<FileDescriptor> FILES = List.of(
            ModelProto.getDescriptor(),
            RegistryProto.getDescriptor(),
            DataProto.getDescriptor(),
            PeerProto.getDescriptor(),
            AdminProto.getDescriptor(),
            ErrorProto.getDescriptor());

    /** Field, constant or method. The key is its place on the wire, the name is that of the manual. */
    private record Element(String type, String name) {}

    @Test
    void noFieldOfTheLastReleaseChangesItsNumberOrType() {
        Map<String, Element> present = present();
        List<String> changed = new ArrayList<>();
        released().forEach((place, released) -> {
            Element now = present.get(place);
            if (now == null ? !reserved().contains(place) : !now.type().equals(released.type())) {
                changed.add(place + " " + released + " is now " + now);
            }
        });
        assertThat(changed)
                .as("restore number and type, or reserve the number of a removed field or constant")
                .isEmpty();
    }

    @Test
    void theManualSaysWhatAnOlderReaderDoesWithANewField() throws IOException {
        String table = addedTable();
        Map<String, Element> released = released();
        List<String> absent = present().entrySet().stream()
                .filter(element -> !released.containsKey(element.getKey()))
                .map(element -> element.getValue().name())
                .filter(name -> !table.contains("`" + name + "`"))
                .toList();
        assertThat(absent)
                .as("name them in docs/manual/upgrade.md, under \"Added since the last release\"")
                .isEmpty();
    }

    /** At a release {@code target/wire-fields.txt} becomes {@code wire/released-fields.txt}, and the manual's table starts again. */
    @Test
    void theSnapshotIsComplete() throws IOException {
        List<String> lines = present().entrySet().stream()
                .map(element -> element.getKey() + "\t" + element.getValue().type() + "\t"
                        + element.getValue().name())
                .toList();
        Path target = ROOT.resolve("uniserve-runtime/target");
        if (Files.isDirectory(target)) {
            Files.write(target.resolve("wire-fields.txt"), lines);
        }
        assertThat(lines).hasSizeGreaterThan(700);
        assertThat(released()).hasSizeGreaterThan(700);
    }

    private static String addedTable() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/manual/upgrade.md"));
        int start = page.indexOf("### Added since the last release");
        assertThat(start).as("the manual has the table").isPositive();
        int end = page.indexOf("\n#", start + 1);
        return end < 0 ? page.substring(start) : page.substring(start, end);
    }

    private static Map<String, Element> released() {
        Map<String, Element> released = new TreeMap<>();
        try (InputStream in = WireCompatibilityTest.class.getResourceAsStream("/wire/released-fields.txt")) {
            assertThat(in).isNotNull();
            new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().forEach(line -> {
                String[] columns = line.split("\t");
                released.put(columns[0], new Element(columns[1], columns[2]));
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return released;
    }

    private static Map<String, Element> present() {
        Map<String, Element> present = new TreeMap<>();
        for (FileDescriptor file : FILES) {
            messages(file)
                    .forEach(message -> message.getFields()
                            .forEach(field -> present.put(
                                    message.getFullName() + " " + field.getNumber(),
                                    new Element(type(field), message.getName() + "." + field.getName()))));
            enums(file).forEach(constants -> {
                for (EnumValueDescriptor constant : constants.getValues()) {
                    present.put(
                            constants.getFullName() + " " + constant.getNumber(),
                            new Element("constant", constant.getName()));
                }
            });
            for (ServiceDescriptor service : file.getServices()) {
                for (MethodDescriptor method : service.getMethods()) {
                    present.put(
                            service.getFullName() + "/" + method.getName(),
                            new Element(
                                    method.getInputType().getFullName() + " -> "
                                            + (method.isServerStreaming() ? "stream " : "")
                                            + method.getOutputType().getFullName(),
                                    service.getName() + "/" + method.getName()));
                }
            }
        }
        return present;
    }

    private static List<String> reserved() {
        List<String> reserved = new ArrayList<>();
        for (FileDescriptor file : FILES) {
            messages(file).forEach(message -> {
                for (ReservedRange range : message.toProto().getReservedRangeList()) {
                    for (int number = range.getStart(); number < range.getEnd(); number++) {
                        reserved.add(message.getFullName() + " " + number);
                    }
                }
            });
            enums(file).forEach(constants -> {
                for (EnumReservedRange range : constants.toProto().getReservedRangeList()) {
                    for (int number = range.getStart(); number <= range.getEnd(); number++) {
                        reserved.add(constants.getFullName() + " " + number);
                    }
                }
            });
        }
        return reserved;
    }

    private static String type(FieldDescriptor field) {
        String label = field.isMapField() ? "map " : field.isRepeated() ? "repeated " : "";
        return label
                + switch (field.getType()) {
                    case MESSAGE -> field.getMessageType().getFullName();
                    case ENUM -> field.getEnumType().getFullName();
                    default -> field.getType().name().toLowerCase(java.util.Locale.ROOT);
                };
    }

    private static Stream<Descriptor> messages(FileDescriptor file) {
        return file.getMessageTypes().stream().flatMap(WireCompatibilityTest::withNested);
    }

    private static Stream<Descriptor> withNested(Descriptor message) {
        return Stream.concat(
                Stream.of(message), message.getNestedTypes().stream().flatMap(WireCompatibilityTest::withNested));
    }

    private static Stream<EnumDescriptor> enums(FileDescriptor file) {
        return Stream.concat(
                file.getEnumTypes().stream(), messages(file).flatMap(message -> message.getEnumTypes().stream()));
    }
}
