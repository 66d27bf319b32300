// The toy model of crates/howdah-sim/examples/toy.rs, on SimGrid: equal hosts, equal choices, equal sharing.
//
// simgrid_toy TASKS IN_FLIGHT prints the activities, the simulated end and the seconds that the simulation took, as
// JSON. Links have no latency and both directions of their own, as in the Rust program; SimGrid's corrections for TCP
// are off, for there they stand for nothing.

#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

namespace sg4 = simgrid::s4u;

namespace {

constexpr uint64_t hosts = 32;
constexpr uint64_t disks = 20;
constexpr int cores = 20;
constexpr double disk_bytes_per_s = 180e6;
constexpr double link_bytes_per_s = 2.2e9;
constexpr uint64_t block_bytes = 268435456;
constexpr double compute_s = 4.0;
constexpr double flops_per_s = 1e9;
constexpr uint64_t activities = 7;

uint64_t tasks;
uint64_t begun = 0;
std::vector<sg4::Host*> all_hosts;
std::vector<std::vector<sg4::Disk*>> all_disks;

// SplitMix64 of a task and a purpose, as in the Rust program.
uint64_t choice(uint64_t task, uint64_t purpose) {
    uint64_t mixed = (task * 8 + purpose + 1) * 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return (mixed ^ (mixed >> 31)) >> 16;
}

sg4::Disk* disk_of(uint64_t host, uint64_t task, uint64_t purpose) {
    return all_disks[host][choice(task, purpose) % disks];
}

// Tasks one after another, as long as there are any. Now and then an actor hands over to a new one, for SimGrid 3.32
// keeps a list of all transfers that an actor ever began, and searches it at the end of each.
void run_tasks(uint64_t host) {
    for (int count = 0; count < 25; ++count) {
        if (begun == tasks)
            return;
        const uint64_t task = begun++;
        disk_of(host, task, 0)->read(block_bytes);
        sg4::this_actor::execute(compute_s * flops_per_s);
        const uint64_t second = (host + 1 + choice(task, 1) % (hosts - 1)) % hosts;
        const uint64_t third = (host + 1 + choice(task, 2) % (hosts - 1)) % hosts;
        const std::vector<sg4::ActivityPtr> writes{
            disk_of(host, task, 3)->write_async(block_bytes),
            disk_of(second, task, 4)->write_async(block_bytes),
            disk_of(third, task, 5)->write_async(block_bytes),
            sg4::Comm::sendto_async(all_hosts[host], all_hosts[second], block_bytes),
            sg4::Comm::sendto_async(all_hosts[second], all_hosts[third], block_bytes),
        };
        for (const auto& write : writes)
            write->wait();
    }
    sg4::Actor::create("tasks", all_hosts[host], run_tasks, host);
}

void build() {
    auto* zone = sg4::create_star_zone("cluster");
    for (uint64_t index = 0; index < hosts; ++index) {
        const std::string name = "host" + std::to_string(index);
        auto* host = zone->create_host(name, flops_per_s)->set_core_count(cores);
        all_disks.emplace_back();
        for (uint64_t disk = 0; disk < disks; ++disk)
            all_disks.back().push_back(
                host->create_disk("disk" + std::to_string(disk), disk_bytes_per_s, disk_bytes_per_s)->seal());
        const auto* link = zone->create_split_duplex_link(name, link_bytes_per_s)->set_latency(0)->seal();
        host->seal();
        zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr,
                        {{link, sg4::LinkInRoute::Direction::UP}}, true);
        all_hosts.push_back(host);
    }
    zone->seal();
}

}  // namespace

int main(int argc, char** argv) {
    sg4::Engine engine(&argc, argv);
    sg4::Engine::set_config("network/model:CM02");
    sg4::Engine::set_config("network/TCP-gamma:0");
    sg4::Engine::set_config("network/crosstraffic:no");
    if (argc != 3) {
        std::fprintf(stderr, "usage: simgrid_toy TASKS IN_FLIGHT\n");
        return 2;
    }
    tasks = std::strtoull(argv[1], nullptr, 10);
    const uint64_t in_flight = std::strtoull(argv[2], nullptr, 10);
    const auto began = std::chrono::steady_clock::now();
    build();
    for (uint64_t index = 0; index < in_flight; ++index)
        sg4::Actor::create("tasks", all_hosts[index % hosts], run_tasks, index % hosts);
    engine.run();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
    std::printf("{\"activities\": %" PRIu64 ", \"end_s\": %.3f, \"seconds\": %.6f}\n", tasks * activities,
                sg4::Engine::get_clock(), seconds.count());
}
